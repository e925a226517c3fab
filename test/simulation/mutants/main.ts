import { progressBar } from '../../../infra/scripts/progress-bar.ts';
import { run } from '../run.ts';
import { mutantNames } from './mutants.ts';

/** Within so many histories, from seed 1 on, the simulator has to find every mutant. */
const WITHIN = 5_000;

const options = {
  seed: 1,
  histories: WITHIN,
  workers: undefined,
  without: [],
  trace: false,
  shrinks: false,
  records: false,
};

const showProgress = progressBar('Mutants', mutantNames.length);
const missed: string[] = [];
for (const [at, mutant] of mutantNames.entries()) {
  const { done, failure } = await run({ ...options, mutant }, () => {});
  showProgress(at + 1);
  console.log(`${mutant}: ${failure ? `caught after ${done} histories, ${failure.problems[0]}` : 'MISSED'}`);
  if (!failure) missed.push(mutant);
}
console.log(
  `${mutantNames.length - missed.length} of ${mutantNames.length} mutants caught within ${WITHIN} histories.`,
);
process.exitCode = missed.length > 0 ? 1 : 0;
