import type { DocumentNode } from 'graphql';
import { bulk } from '../../features/bulk/resolvers.ts';
import { changeLog } from '../../features/change-log/resolvers.ts';
import { erasure } from '../../features/erasure/resolvers.ts';
import { history } from '../../features/history/resolvers.ts';
import { ownRecords } from '../../features/me/resolvers.ts';
import { ownFieldTypes } from './own-fields.ts';
import type { RootRights } from './rights.ts';

type Extension = { definitions: DocumentNode; resolvers: object; rights: RootRights };

export const extensions = [bulk, changeLog, erasure, history, ownFieldTypes, ownRecords] as const satisfies Extension[];
