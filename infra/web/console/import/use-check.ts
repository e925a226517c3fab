import { useEffect, useState } from 'react';
import { importRows } from '../../../transfer/import-rows.ts';
import { Pace } from '../../../transfer/pace.ts';
import type { Sample } from '../../../transfer/sample.ts';
import { type Comparison, openComparison, type RowChange } from '../../../transfer/service-target.ts';
import type { ImportFile } from './import-file.ts';
import { client } from './job.ts';
import { findMappingIssue, type Mapping, toRowOptions, type ValueOptions } from './mapping.ts';
import { type Rejected, Results } from './results.ts';
import { readUserRows } from './user-rows.ts';

/** `part` is from 0 to 1. `comparison`: with the users of the service. */
export type Check = {
  part: number;
  valid: number;
  invalid: number;
  rejected: readonly Rejected[];
  comparison: Comparison | undefined;
  changes: readonly RowChange[];
  isDone: boolean;
};

type Input = {
  source: ImportFile;
  sample: Sample | undefined;
  mapping: Mapping;
  values: ValueOptions;
  /** Also compares the rows with the users that they would update. */
  compares: boolean;
};

const MAX_CHANGES = 20;

const REPORT_MS = 200;

/** Dry run of the import. */
export function useCheck({ source, sample, mapping, values, compares }: Input) {
  const [state, setState] = useState<{ check?: Check; failure?: Error }>({});
  useEffect(() => {
    setState({});
    if (!sample || findMappingIssue(mapping)) return undefined;
    const stopping = new AbortController();
    const { signal } = stopping;
    const results = new Results();
    let part = 0;
    const comparison = compares ? { unchanged: 0, changed: 0, moved: 0, created: 0, erased: 0 } : undefined;
    let changes: RowChange[] = [];
    // Batches finish in any order.
    const addChange = (change: RowChange) => {
      changes = [...changes, change].toSorted((one, other) => one.row.line - other.row.line).slice(0, MAX_CHANGES);
    };
    const target = comparison && openComparison(client, comparison, addChange);
    const report = (isDone: boolean) => {
      const { valid, invalid } = results.counts;
      const compared = comparison && { ...comparison };
      const rejected = [...results.rejected];
      setState({ check: { part, valid, invalid, rejected, comparison: compared, changes, isDone } });
    };
    const reporting = setInterval(report, REPORT_MS, false);
    const onRead = (read: number) => {
      part = read;
    };
    importRows(readUserRows(source, toRowOptions(sample, mapping, values), onRead, signal), {
      target,
      pace: new Pace({ maxLimit: target?.maxParallel ?? 1, isBusy: target?.isBusy ?? (() => false), signal }),
      results,
      signal,
    })
      .then(
        () => signal.aborted || report(true),
        (failure: Error) => signal.aborted || setState({ failure }),
      )
      .finally(() => clearInterval(reporting));
    return () => {
      clearInterval(reporting);
      stopping.abort();
    };
  }, [source, sample, mapping, values, compares]);
  return state;
}
