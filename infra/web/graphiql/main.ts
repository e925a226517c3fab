import './color-scheme.ts';
import 'graphiql/style.css';
import '../site.css';
import './graphiql.css';
import { requireSignIn } from './require-sign-in.ts';
import { storage } from './storage.ts';
import { tabs } from './tabs.ts';

const KEY = 'graphiql:tabState';

/** Plain text needs 10 kB. The editor (450 kB) loads when the page is idle or the text gets the focus. */
function showPreview(main: HTMLElement): void {
  const preview = document.createElement('pre');
  preview.className = 'preview';
  preview.tabIndex = 0;
  preview.role = 'region';
  preview.ariaLabel = 'Operation';
  preview.textContent = readOperation();
  main.append(preview);
  // Each focus loads the editor again if it failed to load, e.g. because the service was stopped.
  preview.addEventListener('focus', loadEditor);
  if (document.readyState === 'complete') whenIdle(loadEditor);
  else addEventListener('load', () => whenIdle(loadEditor), { once: true });
  onEditor(main, (editor) => {
    const hasFocus = document.activeElement === preview;
    preview.remove();
    if (hasFocus) editor.focus();
  });
}

const loadEditor = () => import('./app.tsx');

// Safari lacks requestIdleCallback.
const whenIdle: (callback: () => void) => void = window.requestIdleCallback ?? setTimeout;

function onEditor(main: HTMLElement, callback: (editor: HTMLElement) => void): void {
  new MutationObserver((_, observer) => {
    const editor = main.querySelector<HTMLElement>('.graphiql-query-editor .CodeMirror textarea');
    if (!editor) return;
    observer.disconnect();
    callback(editor);
  }).observe(main, { childList: true, subtree: true });
}

function readOperation(): string {
  try {
    const { activeTabIndex, tabs: stored } = JSON.parse(storage.getItem(KEY) ?? '');
    return String(stored[activeTabIndex].query ?? '');
  } catch {
    return tabs[0]?.query ?? '';
  }
}

const main = document.querySelector('main');
if (main) showPreview(main);
requireSignIn().catch(() => {});
