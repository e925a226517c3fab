import { useClipboard } from '@mantine/hooks';
import { accessToken } from '../console/auth/access-token.ts';
import { createStore, useStore } from '../console/store.ts';
import { Code } from './code.tsx';
import type { Operation } from './document.ts';
import { createRequest, type Language, type RequestValues, samples } from './request.ts';

const KEY = 'reference:language';
const languages = Object.keys(samples) as Language[];

/** All operations show the same language, which is kept for the next visit. */
const language = createStore(languages.find((each) => each === localStorage.getItem(KEY)) ?? 'curl');

function choose(chosen: string): void {
  localStorage.setItem(KEY, chosen);
  language.set((current) => languages.find((each) => each === chosen) ?? current);
}

/** Shows the program that sends the request as it is entered, without the token itself. */
export function Sample({ operation, values }: { operation: Operation; values: RequestValues }) {
  const chosen = useStore(language);
  const token = useStore(accessToken);
  const { copy, copied } = useClipboard();
  const request = createRequest(operation, values);
  const headers = { ...request.headers, ...(token ? { Authorization: 'Bearer <token>' } : {}) };
  const text = samples[chosen]({ ...request, headers });

  return (
    <div className="sample">
      <div className="sample-bar">
        <select
          aria-label={`Language of the sample: ${operation.summary}`}
          value={chosen}
          onChange={(event) => choose(event.target.value)}
        >
          {languages.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
        <button type="button" onClick={() => copy(text)}>
          {copied ? 'Copied' : 'Copy'}
        </button>
      </div>
      <Code label={`Sample: ${operation.summary}`}>{text}</Code>
    </div>
  );
}
