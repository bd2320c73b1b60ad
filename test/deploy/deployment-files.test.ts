// The deployment files, executed as far as a machine without containers and without an init system allows: the units are read by
// systemd's own checker, the chart is rendered, and what each of them starts is started, with its arguments, environment and probes.
// What a daemon of Docker, Helm or Kubernetes would refuse is not seen here; docs/operations.md says so.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { send } from '../support/http.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { endEverything, root, spawnHoldpoint, startHoldpoint, temporaryFolder } from '../support/process.ts';
import { renderChart } from './go-template.ts';

const deploy = join(root, 'deploy');
const read = (...path: string[]): string => readFileSync(join(deploy, ...path), 'utf8');
const SECRET: Record<string, string> = {
  token: 'an-operator-token-of-the-team',
  'secret-key': Buffer.from('a secret key for all of them, ok').toString('base64url'),
};

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
  SECRET['database-url'] = (await postgres.database()).url;
}, 180_000);
afterAll(async () => {
  await endEverything();
  await postgres?.stop();
});

describe('the systemd units', () => {
  const UNITS = readdirSync(join(deploy, 'systemd'));
  const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
  const PROGRAM = '/usr/local/bin/holdpoint';
  const installed = (unit: string) => read('systemd', unit).replaceAll(PROGRAM, join(root, 'bin', 'holdpoint'));
  const setting = (unit: string, name: string) =>
    [...installed(unit).matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);

  it.skipIf(!hasSystemd)('are accepted by systemd-analyze without a remark (needs systemd)', () => {
    const folder = temporaryFolder();
    for (const unit of UNITS) writeFileSync(join(folder, unit), installed(unit));
    const paths = UNITS.map((unit) => join(folder, unit));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...paths], { encoding: 'utf8' });
    expect({ status, remarks: stderr.split('\n').filter((line) => line.includes(folder)) }).toEqual({
      status: 0,
      remarks: [],
    });
    // 0 is closed, 100 is open; a unit without any of the settings has 96.
    const rated = spawnSync('systemd-analyze', [
      'security',
      '--offline=yes',
      '--threshold=25',
      join(folder, 'holdpoint.service'),
    ]);
    expect(rated.status, String(rated.stdout)).toBe(0);
  });

  it('start a server that ends in order within the time that it is given', async () => {
    const [, ...command] = setting('holdpoint.service', 'ExecStart')[0]?.split(' ') ?? [];
    const server = await startHoldpoint({ command });
    expect((await send(server.url, { path: '/readyz' })).status).toBe(200);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  it('make a backup that verifies, and remove old ones', async () => {
    const server = await startHoldpoint();
    const folder = join(temporaryFolder(), 'backups');
    mkdirSync(folder);
    execFileSync('touch', ['-d', '20 days ago', join(folder, 'old.db')]);
    const line = setting('holdpoint-backup.service', 'ExecStart')[0] ?? '';
    const [, shell = '', flags = '', script = ''] = /^(\S+) (\S+) '(.*)'$/.exec(line) ?? [];
    const env = { ...process.env, HOLDPOINT_DATA: server.data, HOLDPOINT_BACKUPS: folder };
    const ran = spawnSync(shell, [flags, script.replaceAll('%%', '%').replaceAll('$$', '$')], {
      env,
      encoding: 'utf8',
    });
    expect(ran.status, ran.stderr).toBe(0);
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^\d{8}T\d{6}Z\.db$/)]);
    await server.end('SIGKILL');
  });
});

interface Manifest {
  kind: string;
  metadata: { name: string };
  spec: {
    replicas: number;
    template: { spec: { containers: Container[]; securityContext: object; automountServiceAccountToken: boolean } };
  };
}
interface Container {
  image: string;
  args: string[];
  env: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }[];
  ports: { name: string; containerPort: number }[];
  securityContext: object;
  startupProbe: Probe;
  readinessProbe: Probe;
  livenessProbe: Probe;
}
interface Probe {
  httpGet: { path: string; port: string };
}

describe('the Helm chart', () => {
  const chart = join('helm', 'holdpoint');
  const templates = readdirSync(join(deploy, chart, 'templates')).filter((name) => !name.endsWith('.txt'));
  const image = { repository: 'registry.example.com/holdpoint', tag: '', digest: '', pullPolicy: 'IfNotPresent' };
  const rendered = (values: object): Manifest[] => {
    const { version, appVersion, name } = parse(read(chart, 'Chart.yaml')) as Record<string, string>;
    const all = { ...(parse(read(chart, 'values.yaml')) as object), host: 'holdpoint.example.com', image, ...values };
    const given = {
      Values: all,
      Chart: { Version: version, AppVersion: appVersion, Name: name },
      Release: { Name: 'team', Service: 'Helm', Namespace: 'default' },
    };
    const texts = renderChart(
      [...templates, 'NOTES.txt'].map((file) => read(chart, 'templates', file)),
      given,
    );
    return texts
      .slice(0, -1)
      .map((text) => parse(text) as Manifest | null)
      .filter((manifest) => manifest !== null);
  };
  const kinds = (values: object) =>
    rendered(values)
      .map(({ kind }) => kind)
      .sort();
  const container = (values: object = {}) => {
    const found = rendered(values).find(({ kind }) => kind === 'Deployment')?.spec.template.spec.containers[0];
    return found as Container;
  };

  it('has the objects that its values ask for', () => {
    expect(kinds({})).toEqual(['Deployment', 'Ingress', 'PodDisruptionBudget', 'Service']);
    const monitor = { enabled: true, tokenSecret: 't', interval: '15s' };
    expect(kinds({ replicas: 1, ingress: { enabled: false }, serviceMonitor: monitor })).toEqual([
      'Deployment',
      'Service',
      'ServiceMonitor',
    ]);
    expect(container({ image: { ...image, digest: 'sha256:abc' } }).image).toBe(
      'registry.example.com/holdpoint@sha256:abc',
    );
    expect(container({ extraArgs: ['--log', 'info'] }).args.slice(-2)).toEqual(['--log', 'info']);
    expect(() => rendered({ host: '' })).toThrow('host: the name under which people reach it');
    expect(() => rendered({ image: { ...image, repository: '' } })).toThrow('build deploy/Dockerfile');
  });

  it('runs without root, without a writable root file system, and without agents', () => {
    const pod = rendered({}).find(({ kind }) => kind === 'Deployment')?.spec.template.spec;
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(container()).toMatchObject({
      securityContext: {
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      },
    });
    expect(container().args).toContain('--no-worker');
  });

  it('starts a server whose probes answer by address', async () => {
    const { args, env: declared, ports, ...rest } = container({ replicas: 3 });
    const image = Object.fromEntries(
      [...read('Dockerfile').matchAll(/ (HOLDPOINT_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    );
    expect(ports).toEqual([{ name: 'http', containerPort: Number(image.HOLDPOINT_PORT) }]);
    const env = Object.fromEntries(
      declared.map(({ name, value, valueFrom }) => [name, value ?? SECRET[valueFrom?.secretKeyRef.key ?? ''] ?? '']),
    );
    expect(env.HOLDPOINT_DATA).toBe('/data/state');
    const data = join(temporaryFolder(), 'state');
    const server = spawnHoldpoint({
      command: args,
      env: { ...image, ...env, HOLDPOINT_PORT: '0', HOLDPOINT_DATA: data },
    });
    const url = (await server.ready).replace('0.0.0.0', '127.0.0.1');
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'] as const) {
      const { path, port } = rest[probe].httpGet;
      expect(port).toBe('http');
      const headers = { host: '10.1.2.3:4777' };
      expect((await send(url, { path, headers })).status, probe).toBe(200);
    }
    const named = await send(url, {
      path: '/v1/sessions',
      token: SECRET.token,
      headers: { host: 'holdpoint.example.com' },
    });
    expect(named.status).toBe(200);
    // The gauge of the pool is there where there is one.
    const metrics = await send(url, { path: '/metrics', token: SECRET.token, headers: { host: '10.1.2.3:4777' } });
    expect(metrics.text).toMatch(/^holdpoint_database_connections\{state="idle"\} [1-9]/m);
    expect(metrics.text).toMatch(/^holdpoint_database_connections\{state="waiting"\} 0$/m);
    const health = read('Dockerfile').match(/^HEALTHCHECK .*CMD (\[.*\])$/m)?.[1] ?? '[]';
    const [, ...checking] = (JSON.parse(health) as string[]).map((part) => part.replace('http://127.0.0.1:4777', url));
    expect(spawnSync(process.execPath, checking).status).toBe(0);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(spawnSync(process.execPath, checking).status).toBe(1);
  });
});

/** As the image is run: a user without rights, nothing to write but the two volumes. Needs root, and namespaces. */
const CONFINED = `
  mount --make-rprivate / && mount --bind "$1" /mnt && mount -o remount,bind,ro / && mount -t tmpfs none /tmp
  shift && exec setpriv --reuid 1000 --regid 1000 --clear-groups --inh-caps=-all --bounding-set=-all -- "$@"`;
const confined = (data: string, ...command: string[]) => ['--mount', 'sh', '-euc', CONFINED, 'sh', data, ...command];

describe('a user without rights on a read-only root file system', () => {
  const node = join(root, 'node_modules', 'node', 'bin', 'node');
  const probe = () =>
    spawnSync('unshare', confined(temporaryFolder(), node, join(root, 'bin', 'holdpoint'), 'version'));
  const isPossible = process.getuid?.() === 0 && existsSync(node) && probe().status === 0;

  it.skipIf(!isPossible)('can run a server (needs root and unshare)', async () => {
    const data = temporaryFolder();
    chownSync(data, 1000, 1000);
    const command = [node, join(root, 'bin', 'holdpoint'), 'serve', '--no-worker'];
    const env = { PATH: process.env.PATH, HOLDPOINT_PORT: '0', HOLDPOINT_DATA: '/mnt/state' };
    const server = spawn('unshare', confined(data, ...command), { env, stdio: ['ignore', 'pipe', 'pipe'] });
    onTestFinished(() => void server.kill('SIGKILL'));
    const [printed] = (await once(server.stdout, 'data')) as [Buffer];
    const url = /ready (\S+)/.exec(String(printed))?.[1] ?? '';
    expect((await send(url, { path: '/readyz' })).status).toBe(200);
    expect(statSync(join(data, 'state', 'holdpoint.db')).uid).toBe(1000);
  });
});

describe('the image and the composition', () => {
  it('copy what a built clone has, and nothing that .dockerignore leaves out', () => {
    const ignored = readFileSync(join(root, '.dockerignore'), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const copied = [...read('Dockerfile').matchAll(/^COPY --from=build \/app\/(\S+) (\S+)$/gm)].map(
      ([, from = '', to]) => {
        expect(to).toBe(from);
        return from;
      },
    );
    const built = ['dist', 'web/dist', 'node_modules'];
    expect(copied).toEqual(expect.arrayContaining([...built, 'bin', 'scripts/node.mjs', 'package.json']));
    for (const path of copied.filter((one) => !built.includes(one)))
      expect(existsSync(join(root, path)), path).toBe(true);
    for (const path of [
      ...copied.filter((one) => !built.includes(one)),
      'src',
      'web',
      'packages',
      'tsconfig.build.json',
    ])
      expect(ignored).not.toContain(path);
    for (const path of ['**/node_modules', '.git', 'dist', '.env']) expect(ignored).toContain(path);
    expect(read('Dockerfile')).toMatch(/^USER node$/m);
  });

  it('start servers without agents, non-root and read-only, behind a proxy that waits for them', async () => {
    const variables: Record<string, string> = { POSTGRES_PASSWORD: 'p', HOLDPOINT_SITE: 'holdpoint.example.com' };
    const text = read('compose.yaml').replaceAll(
      /\$\{(\w+):\?\}/g,
      (_, name: string) => variables[name] ?? SECRET.token ?? '',
    );
    const { services, volumes } = parse(text) as { services: Record<string, Record<string, unknown>>; volumes: object };
    expect(services.holdpoint).toMatchObject({ read_only: true, cap_drop: ['ALL'], restart: 'unless-stopped' });
    for (const service of Object.values(services))
      for (const volume of (service.volumes ?? []) as string[])
        expect(Object.keys(volumes)).toContain(volume.split(':')[0]);
    const command = services.holdpoint?.command as string[];
    expect(command).toContain('--no-worker');
    const env = {
      HOLDPOINT_HOST: '0.0.0.0',
      HOLDPOINT_DATABASE_URL: SECRET['database-url'] ?? '',
      HOLDPOINT_TOKEN: SECRET.token ?? '',
      HOLDPOINT_SECRET_KEY: SECRET['secret-key'] ?? '',
    };
    expect(Object.keys(services.holdpoint?.environment as object).every((name) => name in env)).toBe(true);
    const server = spawnHoldpoint({ via: 'main', command, env });
    await server.ready;
    await server.end('SIGKILL');
  });
});
