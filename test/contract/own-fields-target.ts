import type { TestProject } from 'vitest/node';
import { startTarget } from './target.ts';

export default (project: TestProject) => startTarget(project, ['--fields', 'test/setup/own-fields.json']);
