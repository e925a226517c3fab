import type { FieldDeclaration } from '../../lib/users/fields/declaration.ts';

/**
 * `time`: milliseconds or seconds since 1970, or a text with a zone. `utcTime`: also a text without a zone. `not`:
 * negates a boolean. `isSet`: true unless empty. `isFuture`: true for a later time. `firstOfMany`: the text before `:::`.
 */
export type Conversion =
  | 'time'
  | 'utcTime'
  | 'not'
  | 'isSet'
  | 'isFuture'
  | 'firstOfMany'
  | { isOneOf: readonly string[] };

/**
 * `from`: the first path with a value counts. `a.b` is a member of a member, or the value of the pair named b in a list.
 * `a.@b` selects the element of the list a by its id, which is the member b. `a+b` joins two texts with a space.
 */
export type Source = { from: readonly string[]; as?: Conversion };

/** Fields that presets fill. Except for the first three, a deployment stores them only in own fields of the same name. */
export const PRESET_FIELDS = {
  email: 'string',
  name: 'string',
  createdAt: 'dateTime',
  /** Stored in the own field that is the subject, whatever its name. */
  subject: 'string',
  externalId: 'string',
  emailVerified: 'boolean',
  blocked: 'boolean',
  phone: 'string',
  tags: 'string',
  metadata: 'json',
} as const satisfies Record<string, FieldDeclaration['type']>;

export type PresetField = keyof typeof PRESET_FIELDS;

export type Preset = {
  /** Names the file in messages. */
  file: string;
  /** Documentation of the file. */
  pages: readonly string[];
  fields: Partial<Record<PresetField, Source>>;
  /** Reasons by member or topic. */
  leftOut: Readonly<Record<string, string>>;
  /** Names of the columns of a CSV file without a header. */
  columns?: readonly string[];
};

const PASSWORDS = 'never imported: people sign in with your identity provider';
const RIGHTS = 'may grant rights: map single values, such as --map plan=';

const source = (...from: string[]): Source => ({ from });
const time = (...from: string[]): Source => ({ from, as: 'time' });

const UNNAMED = Array.from({ length: 16 }, (_, at) => `provider ${at + 1}`);

export const PRESETS: Readonly<Record<string, Preset>> = {
  auth0: {
    file: 'NDJSON of a bulk user export',
    pages: ['https://auth0.com/docs/manage-users/user-migration/bulk-user-exports'],
    fields: {
      email: source('email'),
      name: source('name', 'given_name+family_name'),
      createdAt: time('created_at'),
      subject: source('user_id'),
      externalId: source('user_id'),
      emailVerified: source('email_verified'),
      blocked: source('blocked'),
      phone: source('phone_number'),
      metadata: source('user_metadata'),
    },
    leftOut: {
      passwords: `in no export of Auth0, and ${PASSWORDS}`,
      app_metadata: `${RIGHTS}app_metadata.plan`,
      identities: 'linked accounts stay with Auth0',
    },
  },
  cognito: {
    file: 'JSON of `aws cognito-idp list-users`, or the CSV file of a user import job',
    pages: [
      'https://docs.aws.amazon.com/cli/latest/reference/cognito-idp/list-users.html',
      'https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-using-import-tool-csv-header.html',
    ],
    fields: {
      email: source('Attributes.email', 'email'),
      name: source('Attributes.name', 'Attributes.given_name+Attributes.family_name', 'name', 'given_name+family_name'),
      createdAt: time('UserCreateDate'),
      subject: source('Attributes.sub'),
      externalId: source('Attributes.sub'),
      emailVerified: source('Attributes.email_verified', 'email_verified'),
      blocked: { from: ['Enabled'], as: 'not' },
      phone: source('Attributes.phone_number', 'phone_number'),
    },
    leftOut: {
      passwords: `in no export of Cognito, and ${PASSWORDS}`,
      'custom attributes': `${RIGHTS}Attributes.custom:plan`,
      Username: 'the subject identifies people: --map nickname=Username keeps it',
      UserStatus: 'describes the password',
    },
  },
  firebase: {
    file: 'JSON or CSV of `firebase auth:export`',
    pages: ['https://firebase.google.com/docs/cli/auth'],
    fields: {
      email: source('email'),
      name: source('displayName'),
      createdAt: time('createdAt'),
      subject: source('localId'),
      externalId: source('localId'),
      emailVerified: source('emailVerified'),
      blocked: source('disabled'),
      phone: source('phoneNumber'),
    },
    leftOut: {
      'passwordHash, salt': PASSWORDS,
      customAttributes: `${RIGHTS}customAttributes.plan`,
      providerUserInfo: 'linked accounts stay with Firebase',
      'photoUrl, lastSignedInAt': 'no field has this meaning',
    },
    columns: [
      ...['localId', 'email', 'emailVerified', 'passwordHash', 'salt', 'displayName', 'photoUrl'],
      ...UNNAMED,
      ...['createdAt', 'lastSignedInAt', 'phoneNumber', 'disabled', 'customAttributes'],
    ],
  },
  clerk: {
    file: 'JSON of the Backend API (GET /v1/users), or CSV of the dashboard',
    pages: [
      'https://clerk.com/docs/guides/development/migrating/export-from-clerk',
      'https://clerk.com/docs/reference/backend-api/tag/users/get/users',
    ],
    fields: {
      email: source('email_addresses.@primary_email_address_id.email_address', 'primary_email_address'),
      name: source('first_name+last_name'),
      createdAt: time('created_at'),
      subject: source('id'),
      externalId: source('id'),
      emailVerified: {
        from: ['email_addresses.@primary_email_address_id.verification.status'],
        as: { isOneOf: ['verified'] },
      },
      blocked: source('banned'),
      phone: source('phone_numbers.@primary_phone_number_id.phone_number', 'primary_phone_number'),
      metadata: source('public_metadata'),
    },
    leftOut: {
      'password_digest, totp_secret': PASSWORDS,
      'private_metadata, unsafe_metadata': `${RIGHTS}private_metadata.plan`,
      verified_email_addresses: 'a list in the CSV file: emailVerified is only imported from JSON',
      external_id: 'the id of a third system: --map externalId=external_id keeps it instead of the id',
    },
  },
  supabase: {
    file: 'JSON of auth.admin.listUsers(), or CSV of the table auth.users',
    pages: [
      'https://supabase.com/docs/reference/javascript/auth-admin-listusers',
      'https://supabase.com/docs/guides/auth/users',
    ],
    fields: {
      email: source('email'),
      name: source(
        'user_metadata.full_name',
        'user_metadata.name',
        'raw_user_meta_data.full_name',
        'raw_user_meta_data.name',
      ),
      createdAt: time('created_at'),
      subject: source('id'),
      externalId: source('id'),
      emailVerified: { from: ['email_confirmed_at'], as: 'isSet' },
      blocked: { from: ['banned_until'], as: 'isFuture' },
      phone: source('phone'),
      metadata: source('user_metadata', 'raw_user_meta_data'),
    },
    leftOut: {
      encrypted_password: PASSWORDS,
      'app_metadata, raw_app_meta_data': `${RIGHTS}app_metadata.plan`,
      identities: 'linked accounts stay with Supabase',
    },
  },
  keycloak: {
    file: 'JSON of a realm export, or of its users',
    pages: [
      'https://www.keycloak.org/server/importExport',
      'https://www.keycloak.org/docs-api/latest/rest-api/index.html#UserRepresentation',
    ],
    fields: {
      email: source('email'),
      name: source('firstName+lastName'),
      createdAt: time('createdTimestamp'),
      subject: source('id'),
      externalId: source('id'),
      emailVerified: source('emailVerified'),
      blocked: { from: ['enabled'], as: 'not' },
      phone: source('attributes.phoneNumber'),
      metadata: source('attributes'),
    },
    leftOut: {
      credentials: PASSWORDS,
      'realmRoles, clientRoles, groups': 'rights stay with Keycloak',
      username: '--map nickname=username keeps it',
    },
  },
  okta: {
    file: 'JSON of the Users API (GET /api/v1/users)',
    pages: ['https://developer.okta.com/docs/api/openapi/okta-management/management/tag/User/'],
    fields: {
      email: source('profile.email'),
      name: source('profile.displayName', 'profile.firstName+profile.lastName'),
      createdAt: time('created'),
      externalId: source('id'),
      blocked: { from: ['status'], as: { isOneOf: ['SUSPENDED', 'DEPROVISIONED'] } },
      phone: source('profile.mobilePhone', 'profile.primaryPhone'),
    },
    leftOut: {
      credentials: PASSWORDS,
      subject: 'profile.login or id, depending on the authorization server: pass --map with the one in your tokens',
      emailVerified: 'not in the file',
      'other members of profile': '--map department=profile.department keeps one',
    },
  },
  mailchimp: {
    file: 'CSV of an exported audience; unsubscribed and cleaned contacts are in files of their own',
    pages: ['https://mailchimp.com/help/view-export-contacts/'],
    fields: {
      email: source('Email Address'),
      name: source('First Name+Last Name'),
      createdAt: { from: ['OPTIN_TIME', 'CONFIRM_TIME'], as: 'utcTime' },
      phone: source('Phone Number', 'Phone'),
      tags: source('TAGS'),
    },
    leftOut: {
      emailVerified: 'not in the file: CONFIRM_TIME may be set without a confirmation',
      'OPTIN_IP, CONFIRM_IP, LATITUDE, LONGITUDE': 'personal data without a use here',
      'MEMBER_RATING, LEID, EUID, NOTES': 'internal to Mailchimp',
    },
  },
  hubspot: {
    file: 'CSV of exported contacts',
    pages: ['https://knowledge.hubspot.com/import-and-export/export-records'],
    fields: {
      email: source('Email'),
      name: source('First Name+Last Name'),
      externalId: source('Record ID', 'Record ID - Contact'),
      phone: source('Phone Number', 'Mobile Phone Number'),
    },
    leftOut: {
      'Create Date': "has no time zone: --map createdAt='Create Date' reads it as UTC",
      emailVerified: 'not in the file',
      'other properties': "--map plan='Lifecycle Stage' keeps one",
    },
  },
  google: {
    file: 'Google CSV of Google Contacts',
    pages: ['https://support.google.com/contacts/answer/7199294'],
    fields: {
      email: { from: ['E-mail 1 - Value'], as: 'firstOfMany' },
      name: source(
        'First Name+Middle Name+Last Name',
        'Name',
        'Given Name+Additional Name+Family Name',
        'Organization Name',
      ),
      phone: { from: ['Phone 1 - Value'], as: 'firstOfMany' },
    },
    leftOut: {
      'further addresses and numbers': 'a user has one of each',
      createdAt: 'not in the file',
      emailVerified: 'not in the file',
      'Labels, Notes, Photo': "--map tags=Labels keeps one, separated by ' ::: '",
    },
  },
  outlook: {
    file: 'CSV of exported contacts',
    pages: [
      'https://support.microsoft.com/en-us/office/export-contacts-from-outlook-10f09abd-643c-4495-bb80-543714eca73f',
    ],
    fields: {
      email: source('E-mail Address'),
      name: source('First Name+Middle Name+Last Name', 'E-mail Display Name'),
      phone: source('Mobile Phone', 'Primary Phone', 'Business Phone', 'Home Phone'),
    },
    leftOut: {
      'E-mail 2 Address, E-mail 3 Address': 'a user has one address',
      createdAt: 'not in the file',
      emailVerified: 'not in the file',
      'Categories, Notes, addresses': '--map company=Company keeps one',
    },
  },
};
