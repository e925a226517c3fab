import { hashText } from './hash.ts';

/** Many small tables: a single large one would need twice the memory while it is copied. */
const TABLES = 1 << 10;

/**
 * A million 64-bit hashes need 20 MB, against 176 MB in a Map with texts. Two of them are equal with a probability of
 * one in thirty million.
 */
export class FirstLines {
  readonly #tables = Array.from({ length: TABLES }, () => new LineTable());

  find(value: string): number | undefined {
    const [high, low] = hashText(value);
    return this.#findTable(high).find(high, low);
  }

  add(value: string, line: number): void {
    const [high, low] = hashText(value);
    this.#findTable(high).add(high, low, line);
  }

  #findTable(high: number): LineTable {
    return this.#tables[high % TABLES] as LineTable; // The remainder is below the length.
  }
}

const FIRST_SIZE = 4;
const GROWTH = 1.5;
const MAX_LOAD = 0.75;

class LineTable {
  #hashes = new Uint32Array(2 * FIRST_SIZE);
  #lines = new Uint32Array(FIRST_SIZE);
  #count = 0;

  find(high: number, low: number): number | undefined {
    return this.#lines[this.#findPlace(high, low)] || undefined;
  }

  add(high: number, low: number, line: number): void {
    if (this.#count >= MAX_LOAD * this.#lines.length) this.#grow();
    const place = this.#findPlace(high, low);
    if (this.#lines[place] !== 0) return;
    this.#hashes.set([high, low], 2 * place);
    this.#lines[place] = line;
    this.#count++;
  }

  #findPlace(high: number, low: number): number {
    const size = this.#lines.length;
    let place = low % size;
    while (this.#lines[place] !== 0 && !(this.#hashes[2 * place] === high && this.#hashes[2 * place + 1] === low))
      place = (place + 1) % size;
    return place;
  }

  #grow(): void {
    const [hashes, lines] = [this.#hashes, this.#lines];
    const size = Math.ceil(GROWTH * lines.length);
    this.#hashes = new Uint32Array(2 * size);
    this.#lines = new Uint32Array(size);
    this.#count = 0;
    for (const [place, line] of lines.entries())
      if (line > 0) this.add(hashes[2 * place] ?? 0, hashes[2 * place + 1] ?? 0, line);
  }
}
