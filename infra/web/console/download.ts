/** Saves parts of a file as the browser saves downloads. */
export function download(name: string, type: string, parts: BlobPart[]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(parts, { type }));
  link.download = name;
  link.click();
  // The browser has the content once the click has been handled.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

const PART_LENGTH = 256 * 1024;

/** A text that grows. Parts of it become blobs, which the browser keeps outside of the memory of the page, on the disk if they are large. */
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
