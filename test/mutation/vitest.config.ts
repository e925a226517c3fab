import config from '../../vitest.config.ts';

// Stryker runs all test files in one process, but files that load lib/ again need separate processes.
const projects = config.test?.projects?.flatMap((project) => {
  if (typeof project !== 'object' || !('test' in project)) return [];
  const { test } = project;
  if (test?.name === 'service' || test?.name === 'construct') return [project];
  return test?.name === 'isolated' ? [{ ...project, test: { ...test, isolate: true } }] : [];
});

export default { ...config, test: { ...config.test, projects } };
