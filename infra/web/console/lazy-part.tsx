import { Alert, Button, Text } from '@mantine/core';
import { type ComponentType, type FunctionComponent, lazy, Suspense, useEffect } from 'react';
import { notify } from './notices.tsx';

type Load<Props> = () => Promise<ComponentType<Props>>;

const unloaded: (() => Promise<unknown>)[] = [];

/** Number of parts that are loading. A missing part reports its error in its own place. */
let pending = 0;

async function load<Part>(part: () => Promise<Part>): Promise<Part | undefined> {
  pending += 1;
  const loaded = await part().catch(() => undefined);
  pending -= 1;
  return loaded;
}

/** Loads the parts that a first action shows, so that they appear at once. Failed parts are loaded again when shown. */
export const preloadParts = (): Promise<unknown> => Promise.all(unloaded.splice(0).map(load));

/** A part that `preloadParts` loads. */
export function nextPart<Props extends object>(part: Load<Props>, Missing?: FunctionComponent) {
  unloaded.push(part);
  return lazyPart(part, Missing);
}

/** Renders `Missing` if the part cannot be loaded. The page keeps its state. */
export function lazyPart<Props extends object>(part: Load<Props>, Missing: FunctionComponent = MissingPart) {
  const Part = lazy<ComponentType<Props>>(async () => ({ default: (await load(part)) ?? Missing }));
  return (props: Props) => (
    <Suspense>
      <Part {...props} />
    </Suspense>
  );
}

const TITLE = 'This part of the page cannot be loaded';
const HINT = 'There may be a newer version: reload the page. What you have typed is kept.';

const reload = () => location.reload();

const MissingPart = () => (
  <Alert m="md" color="red" title={TITLE}>
    <Text size="sm">{HINT}</Text>
    <Button mt="sm" size="xs" variant="default" onClick={reload}>
      Reload the page
    </Button>
  </Alert>
);

/** For dialogs and bars, which have no place on the page. */
export function MissingDialog() {
  useEffect(notifyMissing, []);
  return null;
}

const notifyMissing = (): void =>
  notify({
    message: `${TITLE}. ${HINT}`,
    tone: 'error',
    subject: 'missing part',
    action: { label: 'Reload', run: reload },
  });

/** For files outside of parts. A deployment has removed this page's version, or the network failed. */
export function reportMissingFile(): void {
  if (pending === 0) notifyMissing();
}
