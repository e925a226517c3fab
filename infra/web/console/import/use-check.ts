import { useEffect, useState } from 'react';
import { importRows } from '../../../transfer/import-rows.ts';
import { Pace } from '../../../transfer/pace.ts';
import { readRows } from '../../../transfer/rows.ts';
import type { Sample } from '../../../transfer/sample.ts';
import { type ImportFile, readBytes } from './import-file.ts';
import { findMappingIssue, type Mapping, toRowOptions, type ValueOptions } from './mapping.ts';
import { type Rejected, Results } from './results.ts';

/** `part` is from 0 to 1. */
export type Check = { part: number; valid: number; invalid: number; rejected: readonly Rejected[]; isDone: boolean };

const REPORT_MS = 200;

/** Dry run of the import. */
export function useCheck(source: ImportFile, sample: Sample | undefined, mapping: Mapping, values: ValueOptions) {
  const [state, setState] = useState<{ check?: Check; failure?: Error }>({});
  useEffect(() => {
    setState({});
    if (!sample || findMappingIssue(mapping)) return undefined;
    const stopping = new AbortController();
    const { signal } = stopping;
    const results = new Results();
    let part = 0;
    const report = (isDone: boolean) => {
      const { counts, rejected } = results;
      setState({ check: { part, valid: counts.valid, invalid: counts.invalid, rejected: [...rejected], isDone } });
    };
    const reporting = setInterval(report, REPORT_MS, false);
    const onRead = (read: number) => {
      part = read;
    };
    importRows(readRows(readBytes(source, onRead, signal), toRowOptions(sample, mapping, values), source.text), {
      target: undefined,
      pace: new Pace({ maxLimit: 1, isBusy: () => false }),
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
  }, [source, sample, mapping, values]);
  return state;
}
