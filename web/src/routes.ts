// Lists the pages by their addresses. app.tsx draws one for each; the accessibility test visits every one.

export const ROUTES = {
  inbox: '/',
  ask: '/asks/*?',
  sessions: '/sessions',
  session: '/sessions/:id',
  history: '/history/:id?',
  insights: '/insights',
  rules: '/rules',
  notifications: '/notifications',
  settings: '/settings',
} as const;
