type Range = { mediaRange: string; weight: number };

/** `specificity`: `EXACT` if Accept names the media type, 1 for any subtype, 0 for any type. */
type Preference = { weight: number; specificity: number; position: number };

export const EXACT = 2;

const QUOTED = /"(?:\\.|[^"\\])*"?/g;

/**
 * Chooses a type by Accept (RFC 9110 section 12.5.1). Undefined if Accept allows none. If weights are equal, the more
 * specific range wins, then the first in Accept, then the first offered.
 */
export function chooseMediaType<Type extends string>(
  accept: string | undefined,
  offered: readonly Type[],
): Type | undefined {
  const preferences = offered.map((mediaType) => ({ mediaType, ...findPreference(accept, mediaType) }));
  const [best] = preferences
    .filter(({ weight }) => weight > 0)
    .toSorted(
      (one, other) => other.weight - one.weight || other.specificity - one.specificity || one.position - other.position,
    );
  return best?.mediaType;
}

export function findPreference(accept: string | undefined, mediaType: string): Preference {
  const [type = ''] = mediaType.split('/', 1);
  const names = ['*/*', `${type}/*`, mediaType];
  let best: Preference = { weight: 0, specificity: -1, position: -1 };
  for (const [position, { mediaRange, weight }] of parseAccept(accept).entries()) {
    const specificity = names.indexOf(mediaRange);
    const isBetter = specificity > best.specificity || (specificity === best.specificity && weight > best.weight);
    if (specificity >= 0 && isBetter) best = { weight, specificity, position };
  }
  return best;
}

/**
 * Ignores parameters: none of JSON or event streams changes a response, not even charset (RFC 8259 section 11). Accepts
 * a lone `*`, which Java's URLConnection sends.
 */
function parseAccept(accept = ''): Range[] {
  const elements = accept.replace(QUOTED, '').toLowerCase().split(',');
  const ranges = elements.flatMap((element) => {
    const [name = '', ...parameters] = element.split(';').map((part) => part.trim());
    return name === '' ? [] : [{ mediaRange: name === '*' ? '*/*' : name, weight: parseWeight(parameters) }];
  });
  return ranges.length > 0 ? ranges : [{ mediaRange: '*/*', weight: 1 }];
}

/** Parses the weight (RFC 9110 section 12.4.2). A malformed weight counts as 1, the default. */
function parseWeight(parameters: string[]): number {
  const [, weight = '1'] =
    parameters.map((text) => /^q\s*=\s*(\d+\.?\d*|\.\d+)$/.exec(text)).find((match) => match) ?? [];
  return Math.min(Number(weight), 1);
}

/** Codings ignore case (RFC 9110 section 8.4.1). `identity` means not encoded. */
export const isEncoded = (contentEncoding = ''): boolean =>
  contentEncoding.split(',').some((coding) => !['', 'identity'].includes(coding.trim().toLowerCase()));

export const ENCODED_BODY = 'The body must not be compressed; send it without Content-Encoding';

/** True for UTF-8, the charset of JSON (RFC 8259 section 8.1). A body without charset has it. */
export const isUtf8Charset = (charset = 'utf-8'): boolean => /^utf-?8$/i.test(charset);

export const OTHER_CHARSET = 'The charset of the body must be UTF-8';
