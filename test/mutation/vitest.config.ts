import { globSync } from 'node:fs';
import config from '../../vitest.config.ts';

process.env.TEST_TEMPLATES = 'separate';

/** Limits the tests to these paths, such as `test/lib/users,test/lib/posts`. */
const tests = (process.env.TESTS ?? 'test').split(',');

/** Files of the deployment lane that start no processes. */
const IN_PROCESS = /^test\/lib\/(users|features\/(?!change-log))/;

// Stryker runs all test files in one process, but files that load lib/ again need separate processes.
const projects = config.test?.projects?.flatMap((project) => {
  if (typeof project !== 'object' || !('test' in project) || !project.test) return [];
  const { name, include = [] } = project.test;
  if (name !== 'service' && name !== 'construct' && name !== 'isolated' && name !== 'deployment') return [];
  const files = globSync(include)
    .filter((file) => tests.some((path) => file.startsWith(path)))
    .filter((file) => name !== 'deployment' || IN_PROCESS.test(file));
  const isolate = name === 'isolated' || name === 'deployment';
  return [{ ...project, test: { ...project.test, include: files, isolate } }];
});

export default { ...config, test: { ...config.test, projects } };
