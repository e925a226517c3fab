import { describe, expect, test } from 'vitest';
import { chooseMediaType } from '../../lib/negotiation.ts';

const JSON_TYPE = 'application/json';
const GRAPHQL_TYPE = 'application/graphql-response+json';
const EVENT_STREAM = 'text/event-stream';
const offered = [JSON_TYPE, GRAPHQL_TYPE, EVENT_STREAM];

describe('chooseMediaType', () => {
  test.each([
    ['without Accept', undefined, JSON_TYPE],
    ['empty', '', JSON_TYPE],
    ['without ranges', ' , ,', JSON_TYPE],
    ['any type', '*/*', JSON_TYPE],
    ['a lone asterisk', '*', JSON_TYPE],
    ['that of Java', 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', JSON_TYPE],
    ['any subtype', 'text/*', EVENT_STREAM],
    ['a name in upper case', 'TEXT/Event-Stream', EVENT_STREAM],
    ['an unknown type', 'text/html', undefined],
    ['a malformed range', 'json', undefined],
    // Recommended by GraphQL over HTTP, section 4.1.
    ['two types with charset', `${GRAPHQL_TYPE}; charset=utf-8, ${JSON_TYPE}; charset=utf-8`, GRAPHQL_TYPE],
    ['an older client', `${GRAPHQL_TYPE};q=0.9, ${JSON_TYPE}`, JSON_TYPE],
    ['quoted parameters', `${JSON_TYPE}; profile="a,b;q=0", text/html`, JSON_TYPE],
    ['parameters after the weight', `${JSON_TYPE};q=0.2;v=1, ${EVENT_STREAM};q=0.1;v=1`, JSON_TYPE],
    ['an unclosed quote', `${JSON_TYPE}; profile="a, text/html`, JSON_TYPE],
    ['the first of equal weights', `${EVENT_STREAM}, ${JSON_TYPE}`, EVENT_STREAM],
    ['the named of equal weights', `*/*, ${EVENT_STREAM}`, EVENT_STREAM],
    ['the specific range, though its weight is less', `*/*;q=0.1, ${JSON_TYPE};q=0.05, text/*;q=0`, GRAPHQL_TYPE],
    ['an excluded type', `*/*, ${JSON_TYPE};q=0`, GRAPHQL_TYPE],
    ['excluded in other spellings', `${JSON_TYPE};q=0., ${JSON_TYPE} ; Q=0.000`, undefined],
    ['a type that only a charset excludes', `${JSON_TYPE};charset=utf-16;q=0, ${JSON_TYPE}`, JSON_TYPE],
    ['malformed weights', `${JSON_TYPE};q=high, ${EVENT_STREAM};q=-1`, JSON_TYPE],
    ['a weight over 1', `${EVENT_STREAM};q=1.0, ${JSON_TYPE};q=7`, EVENT_STREAM],
  ])('%s', (_, accept, expected) => {
    expect(chooseMediaType(accept, offered)).toBe(expected);
  });
});
