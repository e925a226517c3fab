import { createGraphiQLFetcher, type Fetcher, type FetcherOpts, type FetcherParams } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import type { ExecutionResult } from 'graphql';
import { createRoot } from 'react-dom/client';
import { readAuthorization } from '../../../console/api/access-token.ts';
import 'graphiql/style.css';
import './graphiql.css';
import { improveAccessibility } from './accessibility.ts';
import { fillVariables } from './fill-variables.ts';
import { findOperation } from './find-operation.ts';
import { ResumeSubscriptions } from './resume-subscriptions.tsx';
import { followEvents } from './subscription-events.ts';
import { tabs } from './tabs.ts';

const url = new URL('/graphql', location.href).href;
const fetchResult = createGraphiQLFetcher({ url });

const fetcher: Fetcher = ({ query, operationName, variables }, options = {}) => {
  // The token of the console, unless the headers of the tab have another.
  const headers = { ...readAuthorization(), ...options.headers };
  const operation = findOperation(query, operationName);
  const name = operation ? operation.name?.value : operationName;
  const request = { query, variables, ...(name ? { operationName: name } : {}) };
  if (operation?.operation !== 'subscription') return runOnce(request, { ...options, headers });
  const resumes = operation.variableDefinitions?.some(({ variable }) => variable.name.value === 'after') ?? false;
  return followEvents(url, request, { headers, resumes });
};

async function runOnce(request: FetcherParams, options: FetcherOpts) {
  const variables = await fillVariables(url, request.variables, options.headers ?? {});
  return fetchResult({ ...request, variables }, options) as Promise<ExecutionResult>;
}

const element = document.getElementById('graphiql');
if (element) {
  improveAccessibility(element);
  createRoot(element).render(
    <GraphiQL fetcher={fetcher} defaultTabs={tabs} defaultEditorToolsVisibility="variables">
      <GraphiQL.Toolbar>
        {({ prettify, merge, copy }) => (
          <>
            {prettify}
            {merge}
            {copy}
            <ResumeSubscriptions />
          </>
        )}
      </GraphiQL.Toolbar>
    </GraphiQL>,
  );
}
