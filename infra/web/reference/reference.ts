import './reference.css';

declare const Scalar: { createApiReference(selector: string, configuration: object): unknown };

/** The script before this one defines Scalar (https://scalar.com/products/api-references/configuration). */
Scalar.createApiReference('#docs', {
  url: '/openapi.json',
  theme: 'default',
  // None of these is on this machine.
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  externalUrls: { dashboardUrl: '', registryUrl: '', proxyUrl: '', apiBaseUrl: '' },
  showDeveloperTools: 'never',
  hideClientButton: true,
  documentDownloadType: 'json',
  persistAuth: true,
  operationTitleSource: 'summary',
  showOperationId: true,
  defaultOpenAllTags: true,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  hiddenClients: listHiddenClients(),
});

// Some of Scalar's buttons have an icon but no name.
new MutationObserver(() => {
  for (const button of document.querySelectorAll('button[class*="copy-button"]:not([aria-label])'))
    button.setAttribute('aria-label', 'Copy');
}).observe(document.body, { childList: true, subtree: true });

/** Samples remain in curl, JavaScript and Python. */
function listHiddenClients(): string[] {
  const targets = ['c', 'clojure', 'csharp', 'dart', 'fsharp', 'go', 'http', 'java', 'julia', 'kotlin', 'node', 'objc'];
  targets.push('ocaml', 'php', 'powershell', 'r', 'ruby', 'rust', 'swift');
  const shell = ['httpie', 'wget'].map((client) => `shell/${client}`);
  const js = ['axios', 'jquery', 'ofetch', 'xhr'].map((client) => `js/${client}`);
  const python = ['python3', 'aiohttp', 'httpx_sync', 'httpx_async'].map((client) => `python/${client}`);
  return [...targets, ...shell, ...js, ...python];
}
