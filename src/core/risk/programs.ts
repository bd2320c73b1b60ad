// Lists what known programs do that a person should see before allowing it: delete or overwrite, reach other machines,
// change what is deployed. A program that is not listed has no sign, which does not mean that it is harmless.
import { programName } from '../shell/inner-commands.ts';

type Row = readonly [programs: string, args: RegExp, why: string | ((args: readonly string[]) => string)];
type Table = ReadonlyMap<string, readonly Row[]>;

const table = (rows: readonly Row[]): Table => {
  const found = new Map<string, Row[]>();
  for (const row of rows) for (const name of row[0].split(' ')) found.set(name, [...(found.get(name) ?? []), row]);
  return found;
};

const ANY = /^/;
const SQL_CLIENTS = 'psql mysql mariadb sqlite3 sqlcmd duckdb clickhouse-client cockroach';
/** Statements that remove rows, tables or columns. */
export const DELETING_SQL =
  /\b(?:drop\s+(?:table|database|schema|view|index|column|user|role)|truncate\s+(?:table\s+)?["`\w]|delete\s+from)\b|\btruncate\s+\w/i;

/** `overwrites main on origin`, where the command names both. */
function overwritten([, ...args]: readonly string[]): string {
  const [remote, ref, ...more] = args.filter((arg) => !arg.startsWith('-'));
  const isKnown =
    ref !== undefined &&
    more.length === 0 &&
    !args.some((arg) => /^(?:-o|--(?:push-option|repo|exec|receive-pack))$/.test(arg));
  return isKnown ? `overwrites ${ref.replace(/^\+|.*:/g, '')} on ${remote}` : 'overwrites history of a remote';
}

const DESTRUCTIVE = table([
  ['rm rmdir unlink shred srm trash', ANY, 'deletes files'],
  ['find fd', /(?:^| )-delete\b/, 'deletes the files it finds'],
  ['rsync', /(?:^| )--del(?:ete\S*)?(?: |$)/, 'deletes files that the source lacks'],
  ['dd', /(?:^| )of=(?!\/dev\/null)/, 'overwrites its target'],
  [
    'mkfs wipefs fdisk sfdisk parted sgdisk blkdiscard mkswap cryptsetup lvremove vgremove zpool',
    ANY,
    'changes a disk',
  ],
  ['truncate', ANY, 'cuts files'],
  ['git', /^reset .*--(?:hard|merge)/, 'discards changes'],
  ['git', /^clean (?!.*(?:-[a-zA-Z]*n|--dry-run))/, 'deletes untracked files'],
  [
    'git',
    /^(?:checkout (?:.* )?(?:--|\.|-f|--force)(?: |$)|restore |switch .*(?:-f|--force|--discard-changes))/,
    'discards changes',
  ],
  ['git', /^push (?:.* )?(?:-[a-zA-Z]*f[a-zA-Z]*|--force\S*|--mirror|\+\S+)(?: |$)/, overwritten],
  ['git', /^push (?:.* )?(?:-[a-zA-Z]*d[a-zA-Z]*|--delete|--prune|:\S+)(?: |$)/, 'deletes branches of a remote'],
  [
    'git',
    /^(?:branch (?:.* )?(?:-[a-zA-Z]*[dD]|--delete)|tag (?:.* )?(?:-d|--delete)|worktree remove|remote (?:rm|remove))/,
    'deletes references',
  ],
  [
    'git',
    /^(?:stash (?:drop|clear)|reflog (?:expire|delete)|gc .*--prune|filter-branch|filter-repo|update-ref -d|rm )/,
    'deletes what git keeps',
  ],
  ['kill pkill killall xkill skill', /^(?!-l)./, 'ends processes'],
  ['fuser', /(?:^| )-[a-zA-Z]*k/, 'ends processes'],
  ['shutdown reboot halt poweroff telinit', ANY, 'stops the machine'],
  [
    'systemctl service launchctl rc-service',
    /(?:^| )(?:stop|disable|mask|kill|restart|reboot|poweroff|remove|unload)(?: |$)/,
    'stops services',
  ],
  [
    'docker podman nerdctl',
    /^(?:\S+ )?(?:rm|rmi|remove|prune|kill|down .*(?:-v|--volumes))(?: |$)/,
    'deletes containers, images or volumes',
  ],
  ['docker podman docker-compose', /(?:^| )(?:compose .*)?down (?:.* )?(?:-v|--volumes)(?: |$)/, 'deletes volumes'],
  [
    'kubectl oc k3s',
    /(?:^| )(?:delete|drain|evict|replace .*--force|scale .*--replicas[= ]0)(?: |$)/,
    'deletes or stops workloads',
  ],
  ['helm', /(?:^| )(?:uninstall|delete|rollback)(?: |$)/, 'removes a release'],
  [
    'terraform tofu terragrunt pulumi cdk',
    /(?:^| )(?:(?:-?-?destroy|state rm|workspace delete)\S*)(?: |$)/,
    'destroys infrastructure',
  ],
  [
    'aws',
    /(?:^| )(?:rm|rb|mv|delete-\S+|terminate-\S+|deregister-\S+|purge-\S+|stop-\S+|sync .*--delete)(?: |$)/,
    'deletes or stops resources',
  ],
  [
    'gcloud gsutil az doctl linode-cli hcloud ibmcloud oci',
    /(?:^| )(?:delete|rm|rb|destroy|purge|remove|stop)(?: |$)/,
    'deletes or stops resources',
  ],
  [
    'flyctl fly heroku vercel netlify railway wrangler firebase render',
    /(?:^| )(?:\S+:)?(?:destroy|delete|remove|rm|reset)(?: |$)/,
    'deletes what is deployed',
  ],
  ['gh glab', /(?:^| )(?:delete|archive|close|remove)(?: |$)|-X ?DELETE|--method[= ]DELETE/i, 'deletes or closes'],
  ['curl wget http https xh', /(?:^| )(?:-X ?|--request[= ]|--method[= ])?DELETE(?: |$)/, 'sends a DELETE request'],
  ['dropdb dropuser', ANY, 'deletes a database'],
  [SQL_CLIENTS, DELETING_SQL, 'deletes data'],
  ['redis-cli valkey-cli', /(?:^| )(?:flushall|flushdb|del|unlink|shutdown)(?: |$)/i, 'deletes data'],
  ['mongo mongosh', /\b(?:drop(?:Database)?|deleteMany|deleteOne|remove)\(/, 'deletes data'],
  ['npm pnpm yarn bun', /^(?:unpublish|deprecate|owner rm|access revoke)(?: |$)/, 'withdraws a package'],
  ['chmod chown chgrp', /(?:^| )(?:-[a-zA-Z]*R|--recursive)/, 'changes rights of a whole tree'],
  ['crontab', /(?:^| )-r(?: |$)/, 'deletes scheduled jobs'],
  ['userdel groupdel deluser delgroup', ANY, 'deletes accounts'],
  ['iptables nft ufw ip6tables', /(?:^| )(?:-F|flush|--flush|reset|delete|-X)(?: |$)/, 'drops firewall rules'],
  [
    'apt apt-get dnf yum brew pacman apk snap',
    /^(?:.* )?(?:remove|purge|autoremove|uninstall|-R\w*|del)(?: |$)/,
    'removes software',
  ],
  ['crictl ctr', /(?:^| )(?:rm|rmi|rmp|delete)(?: |$)/, 'deletes containers or images'],
  [
    'rails rake bin/rails prisma knex sequelize alembic flask',
    /(?:db:(?:drop|reset|rollback|purge|truncate)\S*|migrate reset|db push .*--force-reset|migrate:rollback|db:migrate:undo|downgrade)/,
    'drops or rolls back a database',
  ],
  [
    'python python2 python3 node deno bun ruby perl php',
    /(?:rmtree|rmSync|rmdirSync|unlinkSync|removeSync|os\.(?:remove|unlink|rmdir)|File\.delete|FileUtils\.rm|unlink[ (]|fs\.(?:rm|unlink)|Deno\.remove)/,
    'deletes files',
  ],
]);

const NETWORK = table([
  [
    'curl wget http https xh aria2c ftp sftp lftp nc ncat netcat socat telnet ssh scp mosh ping traceroute dig nslookup host whois nmap',
    ANY,
    'reaches other machines',
  ],
  ['rsync', /(?:^| )(?:\S+@)?[\w.-]+::?\S|rsync:\/\//, 'reaches another machine'],
  [
    'git',
    /^(?:push|pull|fetch|clone|ls-remote|submodule (?:add|update)|remote update|send-email|lfs (?:push|pull|fetch))(?: |$)/,
    'reaches a remote repository',
  ],
  ['gh glab hub', ANY, 'calls a code host'],
  [
    'npm pnpm yarn bun',
    /^(?:$|i|in|install|ci|add|update|upgrade|up|audit|publish|unpublish|view|info|exec|x|dlx|create|init|login|outdated|search)(?: |$)/,
    'reaches a package registry',
  ],
  ['npx pnpx bunx uvx pipx', ANY, 'may download what it runs'],
  [
    'pip pip3 uv poetry pdm conda mamba',
    /(?:^| )(?:install|download|sync|add|update|lock|publish|search|create)(?: |$)/,
    'reaches a package registry',
  ],
  ['python python3', /^-m pip (?:install|download)/, 'reaches a package registry'],
  ['cargo', /^(?:install|publish|update|fetch|add|search|login|yank)(?: |$)/, 'reaches a package registry'],
  ['go', /^(?:get|install|mod (?:download|tidy))(?: |$)/, 'downloads modules'],
  [
    'gem bundle composer mix dotnet nuget',
    /(?:^| )(?:install|update|push|require|add|restore|deps\.get|hex\.publish)(?: |$)/,
    'reaches a package registry',
  ],
  [
    'apt apt-get dnf yum brew pacman apk snap',
    /(?:^| )(?:install|update|upgrade|add|dist-upgrade|full-upgrade|-S\w*)(?: |$)/,
    'downloads software',
  ],
  [
    'docker podman nerdctl buildah skopeo',
    /^(?:compose )?(?:pull|push|login|run|build|buildx|create|copy|up|search)(?: |$)/,
    'may reach an image registry',
  ],
  [
    'kubectl oc helm terraform tofu terragrunt pulumi cdk ansible ansible-playbook aws gcloud gsutil az doctl hcloud flyctl fly heroku vercel netlify railway wrangler firebase',
    ANY,
    'calls a remote service',
  ],
  ['mail sendmail mutt msmtp', ANY, 'sends mail'],
]);

const PUBLISHING = table([
  [
    'npm pnpm yarn bun cargo poetry uv twine gem hatch flit',
    /^(?:publish|upload|push|npm publish)(?: |$)/,
    'publishes a package',
  ],
  ['docker podman', /^push(?: |$)/, 'publishes an image'],
  ['gh', /^release (?:create|upload|delete|edit)/, 'changes a release'],
]);

const PRODUCTION = table([
  ['terraform tofu terragrunt', /(?:^| )(?:apply|destroy|import)(?: |$)/, 'changes infrastructure'],
  ['pulumi cdk sst serverless sls', /(?:^| )(?:up|deploy|destroy|remove)(?: |$)/, 'changes infrastructure'],
  ['helm', /(?:^| )(?:install|upgrade|uninstall|rollback)(?: |$)/, 'changes a cluster'],
  [
    'kubectl oc',
    /(?:^| )(?:apply|create|patch|scale|rollout|delete|replace|edit|set|drain|cordon|exec)(?: |$)/,
    'changes a cluster',
  ],
  [
    'flyctl fly heroku vercel netlify railway wrangler firebase',
    /(?:^| )(?:deploy|--prod|publish|up|\S+:set|releases:rollback|secrets)(?: |$)/,
    'deploys',
  ],
]);

/** Programs that only read, print or test: the word "production" in their arguments names a file or a text. */
const READERS = new Set(
  'cat bat head tail less more grep rg egrep fgrep ag ls ll tree wc stat file diff cmp echo printf sort uniq cut jq yq sed awk true cd pwd which type test [ vitest jest mocha pytest playwright'.split(
    ' ',
  ),
);
export const isReader = (program: string): boolean => READERS.has(program);

/** What a program with these arguments does, by kind; undefined where nothing is listed. */
export interface ProgramSigns {
  destructive?: string;
  network?: string;
  production?: string;
  publishes?: string;
}

export function programSigns(path: string, args: readonly string[]): ProgramSigns {
  const name = programName(path).replace(/^(mkfs)\..*/, '$1');
  const own = name === 'git' ? withoutGlobalOptions(args) : args;
  const text = own.join(' ');
  const why = (rows: Table) => {
    const found = rows.get(name)?.find(([, pattern]) => pattern.test(text))?.[2];
    return typeof found === 'function' ? found(own) : found;
  };
  const production = CLUSTER_PROGRAM.test(name) && isForTrials(args) ? undefined : why(PRODUCTION);
  const [destructive, network, publishes] = [why(DESTRUCTIVE), why(NETWORK), why(PUBLISHING)];
  return {
    ...(destructive !== undefined && { destructive }),
    ...(network !== undefined && !isLocal(args) && { network }),
    ...(production !== undefined && { production }),
    ...(publishes !== undefined && { publishes }),
  };
}

const CLUSTER_PROGRAM = /^(?:kubectl|oc|helm)$/;
const CONTEXT_OPTION = /^--(?:kube-)?context(?:=(.*))?$/s;
/** They choose a cluster too, and win over the context or change what its name means. */
const OTHER_TARGET = /^(?:-s|--(?:server|cluster|kubeconfig|kube-apiserver))(?:=|$)/;
const TRIAL_CONTEXT =
  /^(?:[\w.@:/-]*[^a-z0-9])?(?:staging|stage|stg|dev|development|test|testing|qa|sandbox|local|localhost|kind|k3d|minikube|docker-desktop|rancher-desktop)\d*(?:[^a-z0-9][\w.@:/-]*)?$/i;
const LIVE = /prod|prd|live/i;

/** The context of the cluster is given and named for trials. The current one is unknown, and so is a name that says nothing. */
function isForTrials(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const options = end < 0 ? args : args.slice(0, end);
  const contexts = options.flatMap((arg, i) => {
    const option = CONTEXT_OPTION.exec(arg);
    return option ? [option[1] ?? options[i + 1] ?? ''] : [];
  });
  const isTrial = (context: string) => TRIAL_CONTEXT.test(context) && !LIVE.test(context);
  return contexts.length > 0 && contexts.every(isTrial) && !options.some((arg) => OTHER_TARGET.test(arg));
}

/** `-C folder`, `-c name=value` and the like stand before the subcommand. */
function withoutGlobalOptions(args: readonly string[]): readonly string[] {
  let at = 0;
  while (args[at]?.startsWith('-')) at += /^(?:-[Cc]|--git-dir|--work-tree|--namespace)$/.test(args[at] ?? '') ? 2 : 1;
  return args.slice(at);
}

const HOST = /^(?:\w+:\/\/)?(?:[^/@\s]*@)?(localhost|127(?:\.\d+){3}|\[?::1\]?|0\.0\.0\.0)(?=[:/]|$)/;

/** Addresses of this machine only. */
function isLocal(args: readonly string[]): boolean {
  const addresses = args.filter(
    (arg) => /^\w+:\/\/|^[\w.-]+(?::\d+)?(?:\/|$)/.test(arg) && /[.:/]|^localhost$/.test(arg),
  );
  const urls = addresses.filter((arg) => /^\w+:\/\//.test(arg) || HOST.test(arg));
  return urls.length > 0 && urls.every((url) => HOST.test(url));
}
