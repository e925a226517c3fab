import { useLayoutEffect } from 'react';
import { createRoot } from 'react-dom/client';
import '../color-scheme.ts';
import '../site.css';
import './reference.css';
import { ColorSchemeButton } from './color-scheme-button.tsx';
import { Contents } from './contents.tsx';
import { type ReferenceDocument, readDocument, toAnchor } from './document.ts';
import { FirstRequest } from './first-request.tsx';
import { Inline, Markdown } from './markdown.tsx';
import { OperationSection } from './operation.tsx';

const DOCUMENT = '/openapi.json';

/** It changes nothing. */
const FIRST = 'listUsers';

/** The libraries that show OpenAPI are four to thirteen times as heavy as this page, and axe finds faults in them. */
function Reference(reference: ReferenceDocument) {
  const { title, version, description, baseUrl, groups } = reference;
  const first = groups.flatMap(({ operations }) => operations).find(({ operationId }) => operationId === FIRST);
  useLayoutEffect(scrollToFragment, []);
  // The first request stands before the details, which begin with a heading.
  const [introduction = '', ...rest] = description.split(/^(?=## )/m);
  return (
    <>
      <Contents {...reference} />
      <main>
        <header className="introduction">
          <h1>{title}</h1>
          <p className="facts">
            Version {version} · <a href={DOCUMENT}>OpenAPI document</a> <ColorSchemeButton />
          </p>
          <Markdown text={introduction} />
        </header>
        {first && <FirstRequest operation={first} baseUrl={baseUrl} />}
        <div className="introduction">
          <Markdown text={rest.join('')} />
        </div>
        {groups.map(({ name, description, operations }) => (
          <div key={name}>
            <h2 id={`tag/${toAnchor(name)}`}>{name}</h2>
            <p>
              <Inline text={description} />
            </p>
            {operations.map((operation) => (
              <OperationSection key={operation.anchor} operation={operation} />
            ))}
          </div>
        ))}
      </main>
    </>
  );
}

/** The browser looked for the place before it was rendered. */
function scrollToFragment(): void {
  document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
}

async function show(root: HTMLElement): Promise<void> {
  const response = await fetch(DOCUMENT);
  if (!response.ok) throw new Error(`${DOCUMENT}: ${response.status}`);
  createRoot(root).render(<Reference {...readDocument(await response.json())} />);
}

const root = document.getElementById('docs');
if (root)
  show(root).catch(({ message }: Error) => {
    root.textContent = `The reference cannot be loaded: ${message}. Reload the page to try again.`;
  });
