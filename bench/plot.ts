// The picture of the results: two rows of grouped bars as plain SVG. Readable on light and dark pages.
import type { Results } from './report.ts';
import type { Throughput } from './throughput.ts';

const WIDTH = 860;
const PANEL = 250;
const LEFT = 52;
const TOP = 46;
const COLOURS = ['#8c8c8c', '#2f7ed8', '#e08a1e', '#3d9970', '#b10dc9'];

export function plot({ throughput, history }: Results): string {
  const panels = [
    panel('Cycles per second, ratio to the reference of the same run', throughput, 0),
    panel('Acknowledged cycles per second with history, ratio to the empty database', history, PANEL),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${2 * PANEL}" font-family="system-ui, sans-serif" font-size="12">
<rect width="${WIDTH}" height="${2 * PANEL}" fill="#ffffff"/>
${panels.join('\n')}
</svg>
`;
}

/** One group of bars for each concurrency, one colour for each subject. */
function panel(title: string, found: readonly Throughput[], y: number): string {
  const labels = [...new Set(found.map((f) => f.label))];
  const concurrencies = [...new Set(found.map((f) => f.concurrency))];
  const height = PANEL - TOP - 34;
  const most = Math.max(1, ...found.map((f) => f.ratio.cyclesPerSecond));
  const groupWidth = (WIDTH - LEFT - 10) / Math.max(1, concurrencies.length);
  const barWidth = Math.min(64, (groupWidth - 24) / Math.max(1, labels.length));
  const scale = (ratio: number): number => (ratio / most) * height;
  const base = y + TOP + height;
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((tick) => {
    const at = base - scale(tick);
    return `<line x1="${LEFT}" x2="${WIDTH - 10}" y1="${at}" y2="${at}" stroke="#dddddd"/><text x="${LEFT - 6}" y="${at + 4}" text-anchor="end" fill="#555555">${tick}</text>`;
  });
  const bars = found.map((f) => {
    const group = concurrencies.indexOf(f.concurrency);
    const x = LEFT + group * groupWidth + 12 + labels.indexOf(f.label) * barWidth;
    const tall = scale(f.ratio.cyclesPerSecond);
    return `<rect x="${x}" y="${base - tall}" width="${barWidth - 4}" height="${tall}" fill="${colour(labels, f)}"/><text x="${x + barWidth / 2 - 2}" y="${base - tall - 4}" text-anchor="middle" fill="#333333">${f.ratio.cyclesPerSecond.toFixed(2)}</text>`;
  });
  const names = concurrencies.map((c, i) => {
    const x = LEFT + i * groupWidth + 12 + (labels.length * barWidth) / 2;
    return `<text x="${x}" y="${base + 18}" text-anchor="middle" fill="#333333">concurrency ${c}</text>`;
  });
  const legend = labels.map((label, i) => {
    const x = LEFT + i * ((WIDTH - LEFT) / labels.length);
    return `<rect x="${x}" y="${y + 26}" width="10" height="10" fill="${COLOURS[i % COLOURS.length]}"/><text x="${x + 14}" y="${y + 35}" fill="#333333">${label}</text>`;
  });
  const heading = `<text x="${LEFT}" y="${y + 18}" font-size="14" font-weight="600" fill="#222222">${title}</text>`;
  return [heading, ...legend, ...ticks, ...bars, ...names].join('\n');
}

const colour = (labels: readonly string[], { label }: Throughput): string =>
  COLOURS[labels.indexOf(label) % COLOURS.length] ?? '#8c8c8c';
