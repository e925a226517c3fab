import type { FieldDeclarations } from '../../infra/own-fields/rules.ts';

/** An ordinary table of a support team. */
export const supportTable = {
  status: { type: 'string', enum: ['active', 'suspended'], filter: true },
  plan: { type: 'string', enum: ['free', 'pro'], filter: true, sort: true },
  phone: { type: 'string', search: true, maxLength: 30 },
  birthday: { type: 'date', sort: true },
  externalId: { type: 'string', unique: 'exact' },
  tags: { type: 'string', list: true, maxItems: 10, filter: true },
  company: { type: 'string', search: true, filter: true, maxLength: 60 },
} as const satisfies FieldDeclarations;
