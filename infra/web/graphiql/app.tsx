import { createGraphiQLFetcher, type Fetcher, type FetcherOpts, type FetcherParams } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import type { ExecutionResult } from 'graphql';
import { createRoot } from 'react-dom/client';
import { readAuthorization } from '../console/auth/access-token.ts';
import { fetchSignedIn } from './fetch-signed-in.ts';
import { fillVariables, findOperation } from './request.ts';
import { storage } from './storage.ts';
import { StoreTabsOnLeaving } from './store-tabs-on-leaving.ts';
import { followEvents } from './subscription-events.ts';
import { tabs } from './tabs.ts';

// The page uses GraphiQL 4 with an editor of 450 kB (compressed). GraphiQL 5 uses Monaco: 1,200 kB and three workers.
const url = new URL('/graphql', location.href).href;
const fetchResult = createGraphiQLFetcher({ url, fetch: fetchSignedIn });

const fetcher: Fetcher = ({ query, operationName, variables }, options = {}) => {
  // `headers` may contain another token than the console's.
  const { headers = {} } = options;
  const operation = findOperation(query, operationName);
  const name = operation ? operation.name?.value : operationName;
  const request = { query, variables, ...(name ? { operationName: name } : {}) };
  if (operation?.operation !== 'subscription') return runOnce(request, options);
  const resumes = operation.variableDefinitions?.some(({ variable }) => variable.name.value === 'after') ?? false;
  return followEvents(url, request, { headers, resumes, send: fetchSignedIn });
};

async function runOnce(request: FetcherParams, options: FetcherOpts) {
  const variables = await fillVariables(url, request.variables, { ...readAuthorization(), ...options.headers });
  return fetchResult({ ...request, variables }, options) as Promise<ExecutionResult>;
}

const element = document.getElementById('graphiql');
if (element) {
  improveAccessibility(element);
  createRoot(element).render(
    <GraphiQL fetcher={fetcher} storage={storage} defaultTabs={tabs} defaultEditorToolsVisibility="variables">
      <GraphiQL.Toolbar>
        {({ prettify, merge, copy }) => (
          <>
            {prettify}
            {merge}
            {copy}
            <StoreTabsOnLeaving />
          </>
        )}
      </GraphiQL.Toolbar>
    </GraphiQL>,
  );
}

/** Accessible names by CSS selector. */
const EDITORS: Record<string, string> = {
  '.graphiql-query-editor textarea': 'Operation',
  '.graphiql-editor-tool .graphiql-editor:first-child textarea': 'Variables',
  '.graphiql-editor-tool .graphiql-editor:last-child textarea': 'Headers',
  '.graphiql-response textarea': 'Response',
};

/** GraphiQL's editors have no accessible names, and its tabs contain buttons, which the role `tab` forbids. */
function improveAccessibility(root: HTMLElement): void {
  const improve = () => {
    for (const [selector, name] of Object.entries(EDITORS)) setAll(root, selector, 'aria-label', name);
    setAll(root, '.CodeMirror-scroll', 'tabindex', '0');
    setAll(root, '.graphiql-tabs', 'role', 'list');
    setAll(root, '.graphiql-tab', 'role', 'listitem');
    for (const tab of root.querySelectorAll('.graphiql-tab[aria-selected]')) tab.removeAttribute('aria-selected');
    for (const button of root.querySelectorAll('.graphiql-tab-button')) {
      const isActive = button.closest('.graphiql-tab-active') !== null;
      if (button.getAttribute('aria-current') !== String(isActive))
        button.setAttribute('aria-current', String(isActive));
    }
    setAll(root, '#graphiql-session', 'role', 'region');
  };
  const options = {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ['aria-selected', 'class', 'role'],
  };
  new MutationObserver(improve).observe(root, options);
}

function setAll(root: HTMLElement, selector: string, attribute: string, value: string): void {
  for (const element of root.querySelectorAll(selector))
    if (element.getAttribute(attribute) !== value) element.setAttribute(attribute, value);
}
