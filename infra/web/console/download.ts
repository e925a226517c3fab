export function download(name: string, type: string, parts: BlobPart[]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(parts, { type }));
  link.download = name;
  link.click();
  // Keeps the URL for a while, because the browser reads the content after the click event.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

const PART_LENGTH = 256 * 1024;

/** Browsers store large blobs outside the page's memory. */
export class TextParts {
  readonly #blobs: Blob[] = [];
  #text = '';

  append(text: string): void {
    this.#text += text;
    if (this.#text.length < PART_LENGTH) return;
    this.#blobs.push(new Blob([this.#text]));
    this.#text = '';
  }

  list = (): BlobPart[] => [...this.#blobs, this.#text];
}
