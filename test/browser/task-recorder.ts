import type { Locator, Page } from 'playwright-core';

/**
 * Seconds of the keystroke-level model, without reading and waiting (Card, Moran and Newell 1980, Communications of the
 * ACM 23 (7)).
 */
const SECONDS = {
  /** A key, at 40 words a minute. */
  key: 0.28,
  point: 1.1,
  /** A mouse button, pressed and released. */
  button: 0.2,
  /** A hand that moves between mouse and keyboard. */
  hand: 0.4,
  decide: 1.35,
  /** A file chosen in a dialog: two decisions, two clicks and pointing twice. */
  file: 5.3,
};

/** `keys` counts each key of a combination. */
export type Effort = { clicks: number; keys: number; seconds: number };

/** Performs a task in a browser as a practised person, and counts clicks and keys. The task begins at the mouse. */
export class TaskRecorder {
  readonly #page: Page;
  #clicks = 0;
  #keys = 0;
  #seconds = 0;
  #hand: 'mouse' | 'keyboard' = 'mouse';

  constructor(page: Page) {
    this.#page = page;
  }

  async click(target: Locator): Promise<void> {
    this.#moveHand('mouse');
    this.#clicks += 1;
    this.#seconds += SECONDS.decide + SECONDS.point + SECONDS.button;
    await target.click();
  }

  /** Typing follows from the action before, so it needs no decision. */
  async type(text: string): Promise<void> {
    this.#countKeys(text.length);
    await this.#page.keyboard.type(text);
  }

  /** Presses keys that end or continue typing, such as `Enter`, `Tab` or `Control+A`, without a decision. */
  async press(...combinations: string[]): Promise<void> {
    for (const keys of combinations) {
      this.#countKeys(keys.split('+').length);
      await this.#page.keyboard.press(keys);
    }
  }

  /** Replaces the text of the field that has the focus. */
  async replace(text: string): Promise<void> {
    await this.press('ControlOrMeta+a');
    await this.type(text);
  }

  async select(target: Locator, label: string): Promise<void> {
    this.#moveHand('mouse');
    this.#clicks += 2;
    this.#seconds += 2 * (SECONDS.decide + SECONDS.point + SECONDS.button);
    await target.selectOption({ label });
  }

  /** Chooses a file in the dialog that `open` shows. */
  async chooseFile(open: () => Promise<void>, file: { name: string; text: string }): Promise<void> {
    const [chooser] = await Promise.all([this.#page.waitForEvent('filechooser'), open()]);
    this.#clicks += 2;
    this.#seconds += SECONDS.file;
    await chooser.setFiles({ name: file.name, mimeType: 'text/csv', buffer: Buffer.from(file.text) });
  }

  get effort(): Effort {
    return { clicks: this.#clicks, keys: this.#keys, seconds: Math.round(this.#seconds * 10) / 10 };
  }

  #countKeys(count: number): void {
    this.#moveHand('keyboard');
    this.#keys += count;
    this.#seconds += count * SECONDS.key;
  }

  #moveHand(to: 'mouse' | 'keyboard'): void {
    if (this.#hand !== to) this.#seconds += SECONDS.hand;
    this.#hand = to;
  }
}
