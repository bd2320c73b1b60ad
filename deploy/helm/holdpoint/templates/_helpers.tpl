{{- define "holdpoint.selector" -}}
app.kubernetes.io/name: holdpoint
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "holdpoint.labels" -}}
{{ include "holdpoint.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}
