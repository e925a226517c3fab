import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { startLocalService } from '../setup/local-service.ts';
import { installPythonTools } from './python.ts';
import { run, WORK_DIR } from './run.ts';
import { runSteps, step } from './step.ts';

const PROGRAMS = join(import.meta.dirname, 'generated-clients');
const FOLDER = join(WORK_DIR, 'generated-clients');
const DOCUMENT = join(FOLDER, 'openapi.json');
/** The Python package contains OpenAPI Generator's jar. */
const FIND_ARCHIVE =
  "from importlib.resources import files; print(files('openapi_generator_cli') / 'openapi-generator.jar')";

await runSteps('the clients of other languages', async () => {
  const commands = await step('install the pinned generators', () => installPythonTools('client-generators'));
  const service = await startLocalService(['--memory', '--fields', 'test/setup/own-fields.json']);
  try {
    await rm(FOLDER, { recursive: true, force: true });
    await mkdir(FOLDER, { recursive: true });
    await writeFile(DOCUMENT, await (await fetch(`${service.url}/openapi.json`)).text());
    await checkPython(commands, service.url);
    await checkJava(commands, service.url);
  } finally {
    await service.stop();
  }
});

async function checkPython(commands: string, url: string): Promise<void> {
  const folder = join(FOLDER, 'python');
  const config = join(FOLDER, 'python.json');
  const program = join(PROGRAMS, 'use_client.py');
  await writeFile(config, JSON.stringify({ package_name_override: 'users_client', post_hooks: [] }));
  const options = ['--path', DOCUMENT, '--output-path', folder, '--config', config, '--fail-on-warning'];
  await step('Python: openapi-python-client generates a client', () =>
    run(join(commands, 'openapi-python-client'), ['generate', ...options]),
  );
  await step('Python: mypy finds no fault in it and its use', () =>
    run(join(commands, 'mypy'), ['--strict', '--cache-dir', join(FOLDER, 'mypy'), program], {
      ...process.env,
      MYPYPATH: folder,
    }),
  );
  await step('Python: creates, reads, lists and changes a user, and meets 404 and 409', () =>
    run(join(commands, 'python'), [program, url], { ...process.env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' }),
  );
}

/** The jar also contains the client's libraries. */
async function checkJava(commands: string, url: string): Promise<void> {
  const folder = join(FOLDER, 'java');
  const classes = join(FOLDER, 'classes');
  const templates = join(FOLDER, 'templates');
  await mkdir(templates);
  // Generates no annotation @Generated, which the JDK lacks.
  await writeFile(join(templates, 'generatedAnnotation.mustache'), '');
  const properties = 'invokerPackage=users.client,apiPackage=users.api,modelPackage=users.model,openApiNullable=false';
  const options = ['-g', 'java', '--library', 'native', '-t', templates, '-i', DOCUMENT, '-o', folder];
  await step('Java: OpenAPI Generator generates a client', () =>
    run(join(commands, 'openapi-generator-cli'), ['generate', ...options, `--additional-properties=${properties}`]),
  );
  const archive = await run(join(commands, 'python'), ['-c', FIND_ARCHIVE]);
  const source = join(folder, 'src/main/java');
  const files = (await readdir(source, { recursive: true })).filter((name) => name.endsWith('.java'));
  await step('Java: javac compiles it and its use', () =>
    run('javac', [
      ...['-proc:none', '-cp', archive.trim(), '-d', classes, join(PROGRAMS, 'UseClient.java')],
      ...files.map((name) => join(source, name)),
    ]),
  );
  await step('Java: creates, reads, lists and changes a user, and meets 404 and 409', () =>
    run('java', ['-ea', '-cp', [classes, archive.trim()].join(delimiter), 'UseClient', url]),
  );
}
