import type { Browser, Locator, Page } from 'playwright-core';
import { inspect, type OpenPage, openPage, type Screen } from './pages.ts';

/** After this number of attempts, the console reports a failed request. */
const MAX_ATTEMPTS = 3;

export class ConsolePage {
  readonly page: Page;
  readonly #opened: OpenPage;
  readonly #screen: Screen;
  #streams = 0;

  private constructor(opened: OpenPage, screen: Screen) {
    this.page = opened.page;
    this.#opened = opened;
    this.#screen = screen;
    this.page.on('response', (response) => {
      if (response.headers()['content-type']?.startsWith('text/event-stream')) this.#streams += 1;
    });
  }

  static async open(browser: Browser, screen: Screen, url: string): Promise<ConsolePage> {
    const console = new ConsolePage(await openPage(browser, screen, url), screen);
    await console.page
      .getByRole('heading', { name: /Users|Sign in/ })
      .first()
      .waitFor({ state: 'attached' });
    return console;
  }

  get list(): Locator {
    return this.page.getByRole('region', { name: 'Users', exact: true });
  }

  get search(): Locator {
    return this.page.getByRole('searchbox');
  }

  waitForList = (): Promise<void> => this.list.and(this.page.locator('[aria-busy="false"]')).waitFor();

  names = (): Promise<string[]> => this.page.locator('tbody a').allTextContents();

  /** Returns the accessible name, or else the text. */
  readFocus = (): Promise<string | null | undefined> =>
    this.page.evaluate(() => document.activeElement?.ariaLabel ?? document.activeElement?.textContent);

  clickButton = (name: string): Promise<void> => this.page.getByRole('button', { name, exact: true }).click();

  /** Opens a form of the filter bar. Waits for the focus, because a space typed on the button closes the form. */
  async openFilter(name: string): Promise<void> {
    await this.clickButton(`Filter by ${name}`);
    await this.page.getByRole('dialog').locator('input:focus').waitFor();
  }

  /** Matches the start of the label, because unsaved changes add a hint to it. */
  openTab = (name: 'Profile' | 'Posts' | 'History' | 'Privacy'): Promise<void> =>
    this.page.getByRole('tab', { name: new RegExp(`^${name}`) }).click();

  async becomeDeveloper(): Promise<void> {
    await this.page.getByRole('button', { name: 'Account' }).click();
    await this.page.getByRole('menuitemcheckbox', { name: 'Show requests and read units' }).click();
    await this.page.keyboard.press('Escape');
  }

  async showActivity(view: 'Changes' | 'By day' | 'Deleted users' | 'Requests'): Promise<void> {
    await this.page.getByRole('tab', { name: view }).click();
  }

  /** Holds back requests to `url` until the returned function is called. */
  async holdAnswers(url: string | RegExp, act: () => Promise<void>): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    // The page may have aborted the request.
    await this.page.route(url, (route) => promise.then(() => route.continue()).catch(() => {}));
    await Promise.all([this.page.waitForRequest(url), act()]);
    return resolve;
  }

  /** The returned function makes all attempts of the request fail. */
  async failRequest(url: string, act: () => Promise<void>): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    await this.page.route(url, (route) => promise.then(() => route.abort()), { times: MAX_ATTEMPTS });
    await Promise.all([this.page.waitForRequest(url), act()]);
    return resolve;
  }

  /** Delays responses by 300 ms, and answers every fourth request with 503. */
  async makeUnsteady(): Promise<void> {
    let requests = 0;
    await this.page.route(/\/graphql|\/v1\/users/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      requests += 1;
      const isFailure = requests % 4 === 0 && route.request().headers().accept !== 'text/event-stream';
      const answer = isFailure
        ? route.fulfill({ status: 503, headers: { 'retry-after': '1' }, json: { error: 'Service Unavailable' } })
        : route.continue();
      // The page may have aborted the request.
      await answer.catch(() => {});
    });
  }

  async tabTo(name: string): Promise<void> {
    for (let presses = 0; presses < 60; presses += 1) {
      if ((await this.readFocus()) === name) return;
      await this.page.keyboard.press('Tab');
    }
    throw new Error(`Tab does not reach ${name}`);
  }

  async waitForNextStream(): Promise<void> {
    const seen = this.#streams;
    while (this.#streams === seen) await this.page.waitForTimeout(50);
  }

  /** Simulates a switch of tabs, which a headless browser does not report. */
  async setVisibility(state: DocumentVisibilityState): Promise<void> {
    await this.page.evaluate((value) => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, value });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    }, state);
  }

  inspect = (state: string): Promise<void> => inspect(this.#opened, this.#screen, state);

  [Symbol.asyncDispose] = (): Promise<void> => this.#opened[Symbol.asyncDispose]();
}
