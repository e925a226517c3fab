import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { createCleanEnvironment } from '../environment.ts';
import { run } from '../run.ts';
import { startInBackground } from './background.ts';
import { buildImages, DATABASE_IMAGE } from './images.ts';

export type Containers = AsyncDisposable & {
  /** Variables for `docker` and SAM. */
  env: NodeJS.ProcessEnv;
  removeContainer(name: string): Promise<void>;
};

/** Runs even after an interrupt. Only logs failures, so the first error stays visible. */
async function cleanUp(command: string, args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  await promisify(execFile)(command, args, { env }).catch(({ message }) => console.error(message));
}

/** Returns Docker if its engine runs. Otherwise starts Podman with separate storage. */
export async function startContainers(): Promise<Containers> {
  const env = createCleanEnvironment();
  try {
    await run('docker', ['version'], env);
    return createContainers(env, async () => {});
  } catch {
    return startPodman(env);
  }
}

const createContainers = (env: NodeJS.ProcessEnv, dispose: () => Promise<void>): Containers => ({
  env,
  removeContainer: (name) => cleanUp('docker', ['rm', '--force', name], env),
  [Symbol.asyncDispose]: dispose,
});

/** Podman in a container: no systemd, and no right to raise limits. */
const CONFIGURATION = `[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
[engine]
cgroup_manager = "cgroupfs"
runtime = "runc"
`;

async function startPodman(clean: NodeJS.ProcessEnv): Promise<Containers> {
  await checkCommands();
  const folder = await mkdtemp(join(tmpdir(), 'podman-'));
  const [bin, storage, socket] = [join(folder, 'bin'), join(folder, 'storage'), join(folder, 'socket')];
  const docker = join(bin, 'docker');
  const env = {
    ...clean,
    PATH: [bin, clean.PATH].join(delimiter),
    CONTAINERS_CONF: join(folder, 'containers.conf'),
    DOCKER_HOST: `unix://${socket}`,
    // In a shared folder, SAM would wait for the lock of an interrupted build.
    TMPDIR: join(folder, 'tmp'),
    // SAM would pull a newer image.
    SAM_SKIP_PULL_IMAGE: 'true',
  };
  const podman = (...args: string[]) => run(docker, args, env);

  await using resources = new AsyncDisposableStack();
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  // An interrupted build leaves files mounted.
  resources.defer(() => cleanUp('bash', ['-c', `umount --recursive --quiet '${storage}/overlay' || true`], env));
  await mkdir(bin);
  await mkdir(env.TMPDIR);
  await writeFile(docker, `#!/bin/sh\nexec podman --root '${storage}' --runroot '${folder}/run' "$@"\n`);
  await chmod(docker, 0o755);
  await writeFile(env.CONTAINERS_CONF, CONFIGURATION);
  await buildImages((name, from) => podman('build', '--quiet', '--tag', name, from), join(folder, 'images'));
  resources.defer(() => cleanUp(docker, ['rm', '--all', '--force', '--time', '0'], env));
  await podman('run', '--rm', '--entrypoint', '/bin/sh', DATABASE_IMAGE, '-c', ':').catch(({ message }) => {
    throw new Error(`Podman cannot run containers on this machine, so that this test needs Docker. ${message}`);
  });
  resources.use(
    await startInBackground('podman', `docker system service --time=0 ${env.DOCKER_HOST}`, env, () => stat(socket)),
  );
  const started = resources.move();
  return createContainers(env, () => started.disposeAsync());
}

async function checkCommands(): Promise<void> {
  const advice = 'Without Docker, this needs Podman on Linux, as root: apt-get install podman runc busybox-static';
  if (process.getuid?.() !== 0) throw new Error(advice);
  for (const command of ['podman', 'runc', 'busybox'])
    await run('bash', ['-c', `command -v ${command}`]).catch(() => {
      throw new Error(`${command} is missing. ${advice}`);
    });
}
