// Shows how long people take to answer, how long agents wait, what is asked by which agent, and what is always allowed. Each plot has its figures as a
// table beside it, for screen readers and for copying.
import { type ReactNode, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { duration } from '../../../src/client/times.ts';
import type { InsightsView } from '../../../src/core/insight.ts';
import { api } from '../api.ts';
import { useFetched } from '../hooks/queries.ts';
import { historyAddress } from '../state/history-query.ts';
import { failureText } from '../text/failure.ts';
import { AlwaysAllowed } from '../ui/always-allowed.tsx';
import { Filters } from '../ui/filters.tsx';
import { Page } from '../ui/page.tsx';
import { BarPlot, instantOf, LinePlot, NamePlot, waitText } from '../ui/plots.tsx';
import './insights.css';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SPANS = [
  ['24 hours', 1],
  ['7 days', 7],
  ['30 days', 30],
  ['1 year', 365],
] as const;

export default function InsightsPage() {
  const [, navigate] = useLocation();
  const days = Number(new URLSearchParams(useSearch()).get('days') ?? 30);
  const [label, span] = SPANS.find(([, n]) => n === days) ?? SPANS[2];
  // Whole hours, so that a second visit within the hour is answered from the cache.
  const to = useMemo(() => Math.ceil(Date.now() / HOUR_MS) * HOUR_MS, []);
  const { data, error } = useFetched({
    queryKey: ['insights', span, to],
    queryFn: () => api.insights.show({ from: to - span * DAY_MS, to }),
    staleTime: 0,
  });
  const always = useFetched({
    queryKey: ['rule-suggestions', span, to],
    queryFn: () => api.rules.suggestions({ from: to - span * DAY_MS, to }),
    staleTime: 0,
  });
  const filters = (
    <Filters
      label="Span"
      choices={SPANS}
      value={span}
      onChoose={(n) => navigate(`/insights?days=${n}`, { replace: true })}
    />
  );
  return (
    <Page title="Insights" tools={filters}>
      {error && <p className="notice bad">{failureText(error)}</p>}
      {data && data.ended === 0 && <Nothing span={label} />}
      {data && data.ended > 0 && <Plots of={data}>{always.data && <AlwaysAllowed of={always.data} />}</Plots>}
    </Page>
  );
}

const Nothing = ({ span }: { span: string }) => (
  <p className="muted">
    No requests were resolved in the last {span}. Charts appear here once people have answered some.
  </p>
);

function Plots({ of, children }: { of: InsightsView; children?: ReactNode }) {
  const { waits, by_decider } = of;
  const ruled = by_decider.filter(({ name }) => name === 'rules' || name === 'grants' || name === 'policy');
  const share = Math.round((100 * ruled.reduce((sum, { count }) => sum + count, 0)) / of.ended);
  return (
    <>
      {!of.is_complete && (
        <p className="notice">
          Showing the newest {of.ended.toLocaleString()} requests, since {new Date(of.counted_from_ms).toLocaleString()}
          .
        </p>
      )}
      <dl className="figures">
        <Figure name="Resolved" value={of.ended.toLocaleString()} />
        <Figure name="Median response" value={waitText(waits.p50_ms)} />
        <Figure name="90% within" value={waitText(waits.p90_ms)} />
        <Figure name="Decided automatically" value={`${share}%`} />
        <Figure name="Agents waited" value={waitText(of.lost_ms)} />
      </dl>
      {children}
      <div className="plots">
        <BarPlot
          title="Time to answer"
          columns={['Up to', 'Answers']}
          bars={of.histogram.map(({ up_to_ms, count }) => ({
            name: up_to_ms === null ? 'longer' : duration(up_to_ms),
            value: count,
          }))}
        />
        <LinePlot title="Time to answer, over time" points={of.over_time} intervalMs={of.interval_ms} />
        <BarPlot
          title="Requests over time"
          columns={['From', 'Requests']}
          bars={of.over_time.map(({ start_ms, ended }) => ({
            name: instantOf(start_ms, of.interval_ms),
            value: ended,
          }))}
        />
        <BarPlot
          title="Agent time lost waiting"
          columns={['From', 'Waited']}
          bars={of.over_time.map(({ start_ms, lost_ms }) => ({
            name: instantOf(start_ms, of.interval_ms),
            value: lost_ms,
          }))}
          isTime
        />
        <NamePlot title="By agent" names={of.by_agent} addressOf={historyOf('agent')} />
        <NamePlot title="By project" names={of.by_project} addressOf={historyOf('project')} />
        <NamePlot title="By person" names={of.by_person} addressOf={historyOf('by')} />
        <NamePlot title="By tool" names={of.by_tool} addressOf={historyOf('tool')} />
        <NamePlot title="Outcome" names={of.by_outcome} />
        <NamePlot title="Answered from" names={of.by_surface} />
        <NamePlot title="Who decided" names={of.by_decider} />
      </div>
    </>
  );
}

/** A name may have spaces, and no quotes in a query. */
const historyOf = (field: 'agent' | 'project' | 'by' | 'tool') => (name: string) =>
  historyAddress({ q: `${field}:"${name.replaceAll('"', '')}"`, kind: undefined, status: undefined });

const Figure = ({ name, value }: { name: string; value: string }) => (
  <div className="box">
    <dt className="small muted">{name}</dt>
    <dd>{value}</dd>
  </div>
);
