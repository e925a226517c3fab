import '@mantine/core/styles.css';
import '../site.css';
import { Anchor, Group, Text, Title } from '@mantine/core';
import { type ReactNode, startTransition, useLayoutEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { ColorSchemeButton } from '../console/color-scheme-button.tsx';
import type { ConsoleSettings } from '../console/settings.ts';
import { Theme } from '../console/theme.tsx';
import { Contents } from './contents.tsx';
import { type ReferenceDocument, readDocument, toAnchor } from './document.ts';
import { FirstRequest } from './first-request.tsx';
import { Inline, Markdown } from './markdown.tsx';
import { OperationSection } from './operation.tsx';
import classes from './reference.module.css';

const DOCUMENT = '/openapi.json';

const FIRST = 'listUsers';

/** RapiDoc (218 kB) and Scalar (993 kB) are larger than this page (148 kB), and fail accessibility checks (axe). */
function Reference(reference: ReferenceDocument) {
  const { title, version, description, baseUrl, groups } = reference;
  const first = groups.flatMap(({ operations }) => operations).find(({ operationId }) => operationId === FIRST);
  useLayoutEffect(scrollToFragment, []);
  // The example request is shown between introduction and details.
  const [introduction = '', ...rest] = description.split(/^(?=## )/m);
  return (
    <div className={classes.page}>
      <Contents {...reference} />
      <main className={classes.main}>
        <Title order={1} size="h2">
          {title}
        </Title>
        <Group gap="xs" mb="xs">
          <Text c="dimmed">
            Version {version} · <Anchor href={DOCUMENT}>OpenAPI document</Anchor>
          </Text>
          <ColorSchemeButton />
        </Group>
        <Markdown text={introduction} />
        {first && <FirstRequest operation={first} baseUrl={baseUrl} />}
        <Markdown text={rest.join('')} />
        {groups.map(({ name, description, operations }) => (
          <div key={name}>
            <Title order={2} size="h3" mt="xl" id={`tag/${toAnchor(name)}`}>
              {name}
            </Title>
            <Text maw="46rem">
              <Inline text={description} />
            </Text>
            {operations.map((operation) => (
              <OperationSection key={operation.anchor} operation={operation} />
            ))}
          </div>
        ))}
      </main>
    </div>
  );
}

/** Scrolls again, because the browser scrolled before the page was rendered. */
function scrollToFragment(): void {
  document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
}

async function loadReference(): Promise<ReferenceDocument> {
  const response = await fetch(DOCUMENT);
  if (!response.ok) throw new Error(`${DOCUMENT}: ${response.status}`);
  return readDocument(await response.json());
}

/** Deployments have no GraphiQL. */
async function linkToGraphiql(): Promise<void> {
  const response = await fetch('/console.json');
  // Cast: the service has validated its settings.
  const { links } = (await response.json()) as ConsoleSettings;
  const link = links.find(({ path }) => path === '/graphql');
  if (!link) return;
  const anchor = document.createElement('a');
  anchor.href = link.path;
  anchor.textContent = link.label;
  document.querySelector('nav.site')?.append(anchor);
}

linkToGraphiql().catch(() => {});
const element = document.getElementById('docs');
if (element) {
  const root = createRoot(element);
  // A transition renders in small tasks. One task for all operations would block the page.
  const render = (content: ReactNode) => startTransition(() => root.render(<Theme>{content}</Theme>));
  loadReference().then(
    (reference) => render(<Reference {...reference} />),
    ({ message }: Error) =>
      render(<Text p="md">The reference cannot be loaded: {message}. Reload the page to try again.</Text>),
  );
}
