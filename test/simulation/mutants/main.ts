import { progressBar } from '../../../infra/scripts/progress-bar.ts';
import { run } from '../run.ts';
import { mutantNames } from './mutants.ts';

/** Within so many histories, from seed 1 on, the simulator has to find every mutant. */
const WITHIN = 3_000;

const options = {
  seed: 1,
  histories: WITHIN,
  workers: undefined,
  excluded: [],
  trace: false,
  shrinks: false,
  records: false,
  goesOn: false,
};

// Some of them by their names, or all.
const chosen = process.argv.length > 2 ? process.argv.slice(2) : mutantNames;
const showProgress = progressBar('Mutants', chosen.length);
const missed: string[] = [];
for (const [at, mutant] of chosen.entries()) {
  const {
    done,
    failures: [failure],
  } = await run({ ...options, mutant }, () => {});
  showProgress(at + 1);
  console.log(`${mutant}: ${failure ? `caught after ${done} histories, ${failure.problems[0]}` : 'MISSED'}`);
  if (!failure) missed.push(mutant);
}
console.log(`${chosen.length - missed.length} of ${chosen.length} mutants caught within ${WITHIN} histories.`);
process.exitCode = missed.length > 0 ? 1 : 0;
