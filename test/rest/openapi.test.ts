import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { beforeAll, describe, expect, test } from 'vitest';
import { openApiDocument } from '../../lib/rest/openapi.ts';
import { operations } from '../../lib/rest/operations.ts';
import { shapes } from '../../lib/rest/shapes.ts';
