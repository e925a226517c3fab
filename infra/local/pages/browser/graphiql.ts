import { createGraphiQLFetcher, type Fetcher } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import { getOperationAST } from 'graphql';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import 'graphiql/style.css';
import './graphiql.css';
import { followSubscription } from '../../../console/api/follow-subscription.ts';
import { tabs } from './tabs.ts';

// The language services of the editor; the bundler writes them beside this file.
const WORKERS: Record<string, string> = { json: 'json.worker.js', graphql: 'graphql.worker.js' };
Object.assign(globalThis, {
  MonacoEnvironment: {
    getWorker: (_: string, label: string) =>
      new Worker(new URL(WORKERS[label] ?? 'editor.worker.js', import.meta.url), { type: 'module' }),
  },
});

const url = new URL('/graphql', location.href).href;
const fetchResult = createGraphiQLFetcher({ url });

const fetcher: Fetcher = (request, options = {}) => {
  const operation = options.documentAST && getOperationAST(options.documentAST, request.operationName);
  if (operation?.operation !== 'subscription') return fetchResult(request, options);
  const resumes = operation.variableDefinitions?.some(({ variable }) => variable.name.value === 'after') ?? false;
  return followSubscription(url, request, { headers: options.headers ?? {}, resumes });
};

const element = document.getElementById('graphiql');
if (element) createRoot(element).render(createElement(GraphiQL, { fetcher, defaultTabs: tabs }));
