/** Saves parts of a file as the browser saves downloads. */
export function download(name: string, type: string, parts: BlobPart[]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(parts, { type }));
  link.download = name;
  link.click();
  // The browser has the content once the click has been handled.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
