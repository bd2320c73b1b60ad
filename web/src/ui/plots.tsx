// Draws the plots of the insights page with Recharts: bars, waiting times over time, and bars by name; each a figure with
// the same numbers as a table. Colours are the page's own tokens, so that light and dark need nothing more.
import type { ReactNode } from 'react';
import {
  Bar,
  BarChart,
  CartesianGrid,
  Legend,
  Line,
  LineChart,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import { Link, useLocation } from 'wouter';
import { duration } from '../../../src/client/times.ts';
import type { InsightsView } from '../../../src/core/insight.ts';
import { axisTicks } from '../text/axis-ticks.ts';
import { oneLine } from '../text/visible.ts';
import './plots.css';

const DAY_MS = 86_400_000;
const HEIGHT = 220;
const ROW_PX = 30;
const NAME_PX = 110;
const TICK = { fill: 'var(--muted)', fontSize: 11 };
const GRID = 'var(--line)';
const axis = { tick: TICK, tickLine: false, axisLine: { stroke: 'var(--line-strong)' } } as const;
const TOOLTIP = {
  cursor: { fill: 'var(--hover)', stroke: 'var(--line-strong)' },
  contentStyle: {
    background: 'var(--raised)',
    border: '1px solid var(--line-strong)',
    borderRadius: 8,
    color: 'var(--text)',
    fontSize: 12,
  },
  itemStyle: { color: 'var(--text)' },
  isAnimationActive: false,
} as const;

export function waitText(ms: number | undefined): string {
  if (ms === undefined) return '–';
  return ms < 1000 ? '< 1s' : duration(ms);
}

/** The start of an interval: its hour, or for intervals of days its date. */
export const instantOf = (atMs: number, intervalMs: number): string =>
  intervalMs < DAY_MS
    ? new Date(atMs).toLocaleString(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' })
    : new Date(atMs).toLocaleDateString(undefined, { day: 'numeric', month: 'short' });

interface FigureProps {
  title: string;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
  /** Of the first cell of a row. */
  links?: ReadonlyMap<string, string> | undefined;
  height: number;
  children: ReactNode;
}

function Figure({ title, columns, rows, links, height, children }: FigureProps) {
  return (
    <figure className="plot" aria-label={title}>
      <figcaption>{title}</figcaption>
      <div className="plot-area" aria-hidden="true" style={{ height }}>
        <ResponsiveContainer width="100%" height="100%">
          {children}
        </ResponsiveContainer>
      </div>
      <details>
        <summary className="small muted">As a table</summary>
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([name = '', ...cells]) => (
              <tr key={name}>
                <th scope="row">
                  {links?.has(name) ? (
                    <Link className="link" href={links.get(name) ?? ''}>
                      {name}
                    </Link>
                  ) : (
                    name
                  )}
                </th>
                {cells.map((cell, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: cells of one row, one for each column
                  <td key={i}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

interface BarPlotProps {
  title: string;
  columns: readonly [string, string];
  bars: readonly { name: string; value: number }[];
  /** The values are durations, not counts. */
  isTime?: boolean;
}

/** Ticks that are evenly spaced on the axis, and round. */
function timeAxis(values: readonly (number | undefined)[], power: 1 | 2 = 1) {
  const ticks = axisTicks(Math.max(MIN_AXIS_MS, ...values.map((value) => value ?? 0)), power);
  return { ticks, domain: [0, ticks.at(-1) ?? 0], interval: 0 } as const;
}

export function BarPlot({ title, columns, bars, isTime = false }: BarPlotProps) {
  const format = isTime ? waitText : String;
  return (
    <Figure title={title} columns={columns} rows={bars.map((bar) => [bar.name, format(bar.value)])} height={HEIGHT}>
      <BarChart data={[...bars]} accessibilityLayer={false}>
        <CartesianGrid vertical={false} stroke={GRID} />
        <XAxis dataKey="name" {...axis} interval="preserveStartEnd" minTickGap={14} />
        <YAxis
          {...axis}
          width={52}
          allowDecimals={false}
          axisLine={false}
          tickFormatter={format}
          {...(isTime && timeAxis(bars.map(({ value }) => value)))}
        />
        <Tooltip {...TOOLTIP} formatter={(value) => [format(Number(value)), columns[1]]} />
        <Bar dataKey="value" fill="var(--accent)" radius={[3, 3, 0, 0]} isAnimationActive={false} />
      </BarChart>
    </Figure>
  );
}

interface LinePlotProps {
  title: string;
  points: InsightsView['over_time'];
  intervalMs: number;
}

/** The axis reaches at least this far, so that quick answers do not look slow. */
const MIN_AXIS_MS = 10_000;

export function LinePlot({ title, points, intervalMs }: LinePlotProps) {
  const named = points.map((point) => ({ ...point, name: instantOf(point.start_ms, intervalMs) }));
  const rows = named.map((p) => [p.name, String(p.answered), waitText(p.p50_ms), waitText(p.p90_ms)]);
  return (
    <Figure title={title} columns={['From', 'Answers', 'Median', '90% within']} rows={rows} height={HEIGHT}>
      <LineChart data={named} accessibilityLayer={false}>
        <CartesianGrid vertical={false} stroke={GRID} />
        <XAxis dataKey="name" {...axis} interval="preserveStartEnd" minTickGap={14} />
        <YAxis
          {...axis}
          width={52}
          axisLine={false}
          scale="sqrt"
          tickFormatter={waitText}
          {...timeAxis(
            points.map((point) => point.p90_ms),
            2,
          )}
        />
        <Tooltip {...TOOLTIP} formatter={(value, name) => [waitText(Number(value)), name]} />
        <Legend />
        <Line
          dataKey="p90_ms"
          name="90% within"
          stroke="var(--control)"
          strokeDasharray="4 3"
          connectNulls
          dot={{ r: 2 }}
          isAnimationActive={false}
        />
        <Line
          dataKey="p50_ms"
          name="median"
          stroke="var(--accent)"
          strokeWidth={2}
          connectNulls
          dot={{ r: 2 }}
          isAnimationActive={false}
        />
      </LineChart>
    </Figure>
  );
}

const MAX_NAME_CHARACTERS = 18;
const short = (name: string): string =>
  name.length > MAX_NAME_CHARACTERS ? `${name.slice(0, MAX_NAME_CHARACTERS - 1)}…` : name;

interface NamePlotProps {
  title: string;
  names: InsightsView['by_agent'];
  /** The history of what a bar counts. */
  addressOf?: (name: string) => string;
}

export function NamePlot({ title, names, addressOf }: NamePlotProps) {
  const [, navigate] = useLocation();
  const bars = names.map(({ name, count, p50_ms }) => ({ name: oneLine(name), count, p50_ms }));
  const rows = bars.map(({ name, count, p50_ms }) => [name, String(count), waitText(p50_ms)]);
  const links = addressOf && new Map(names.map(({ name }) => [oneLine(name), addressOf(name)]));
  const open = ({ name = '' }: { name?: string | undefined }) => navigate(links?.get(name) ?? '/history');
  return (
    <Figure
      title={title}
      columns={['Name', 'Requests', 'Median']}
      rows={rows}
      links={links}
      height={bars.length * ROW_PX + 34}
    >
      <BarChart data={bars} layout="vertical" accessibilityLayer={false}>
        <CartesianGrid horizontal={false} stroke={GRID} />
        <XAxis type="number" {...axis} allowDecimals={false} axisLine={false} />
        <YAxis type="category" dataKey="name" {...axis} width={NAME_PX} tickFormatter={short} interval={0} />
        <Tooltip {...TOOLTIP} formatter={(value) => [value, 'requests']} />
        <Bar
          dataKey="count"
          fill="var(--accent)"
          radius={[0, 3, 3, 0]}
          maxBarSize={18}
          isAnimationActive={false}
          {...(links && { onClick: open, cursor: 'pointer' })}
        />
      </BarChart>
    </Figure>
  );
}
