import { globSync } from 'node:fs';
import config from '../../vitest.config.ts';

process.env.TEST_TEMPLATES = 'separate';

/** Limits the tests to these paths, such as `test/lib/users,test/lib/posts`. */
const tests = (process.env.TESTS ?? 'test').split(',');

// Stryker runs all test files in one process, but files that load lib/ again need separate processes.
const projects = config.test?.projects?.flatMap((project) => {
  if (typeof project !== 'object' || !('test' in project) || !project.test) return [];
  const { name, include = [] } = project.test;
  if (name !== 'service' && name !== 'construct' && name !== 'isolated') return [];
  const files = globSync(include).filter((file) => tests.some((path) => file.startsWith(path)));
  return [{ ...project, test: { ...project.test, include: files, isolate: name === 'isolated' } }];
});

export default { ...config, test: { ...config.test, projects } };
