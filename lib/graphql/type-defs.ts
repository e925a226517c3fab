export const typeDefs = /* GraphQL */ `
  "A time in ISO 8601, given in UTC."
  scalar DateTime

  type User {
    "A UUIDv7: ids sort in the order of creation."
    id: ID!
    name: String!
    email: String!
    createdAt: DateTime!
    updatedAt: DateTime!
    "Counts the writes to this user, from 1. Inputs take it as ifVersion."
    version: Int!
    "Oldest first; all of them unless first bounds them. after is the id of a post."
    posts(first: Int, after: ID): [Post!]!
  }

  type Post {
    id: ID!
    title: String!
    "Null until the post is published."
    publishedAt: DateTime
    author: User!
  }

  type PageInfo {
    hasNextPage: Boolean!
    hasPreviousPage: Boolean!
    startCursor: String
    endCursor: String
  }

  type UserEdge {
    cursor: String!
    node: User!
  }

  "https://relay.dev/graphql/connections.htm"
  type UserConnection {
    edges: [UserEdge!]!
    pageInfo: PageInfo!
    "All users, not only those of this page."
    totalCount: Int!
  }

  type Query {
    user(id: ID!): User
    userByEmail(email: String!): User
    "Oldest first. first is 1 to 100."
    users(first: Int = 20, after: String): UserConnection!
    post(id: ID!): Post
  }

  input CreateUserInput {
    name: String!
    email: String!
    "Repeating the input under the same key within 24 hours gives the first answer again and creates nothing."
    idempotencyKey: String
  }

  input ReplaceUserInput {
    id: ID!
    name: String!
    email: String!
    "Refused with PRECONDITION_FAILED unless the user is at this version."
    ifVersion: Int
  }

  input UpdateUserInput {
    id: ID!
    name: String
    email: String
    "Refused with PRECONDITION_FAILED unless the user is at this version."
    ifVersion: Int
  }

  input DeleteUserInput {
    id: ID!
    "Refused with PRECONDITION_FAILED unless the user is at this version."
    ifVersion: Int
  }

  input CreatePostInput {
    authorId: ID!
    title: String!
    publishedAt: DateTime
    "Repeating the input under the same key within 24 hours gives the first answer again and creates nothing."
    idempotencyKey: String
  }

  input UpdatePostInput {
    id: ID!
    title: String
  }

  input PublishPostInput {
    id: ID!
    "Now, where none is given."
    publishedAt: DateTime
  }

  input DeletePostInput {
    id: ID!
  }

  type CreateUserPayload {
    user: User!
  }

  type ReplaceUserPayload {
    user: User!
  }

  type UpdateUserPayload {
    user: User!
  }

  type DeleteUserPayload {
    id: ID!
  }

  type CreatePostPayload {
    post: Post!
  }

  type UpdatePostPayload {
    post: Post!
  }

  type PublishPostPayload {
    post: Post!
  }

  type DeletePostPayload {
    id: ID!
  }

  type Mutation {
    createUser(input: CreateUserInput!): CreateUserPayload!
    replaceUser(input: ReplaceUserInput!): ReplaceUserPayload!
    updateUser(input: UpdateUserInput!): UpdateUserPayload!
    "The posts of the user go with it, within seconds."
    deleteUser(input: DeleteUserInput!): DeleteUserPayload!
    createPost(input: CreatePostInput!): CreatePostPayload!
    updatePost(input: UpdatePostInput!): UpdatePostPayload!
    "Leaves a post that is published as it is."
    publishPost(input: PublishPostInput!): PublishPostPayload!
    deletePost(input: DeletePostInput!): DeletePostPayload!
  }

  enum ChangeKind {
    CREATED
    UPDATED
    DELETED
  }

  type UserChange {
    "Where to go on: give it as after."
    cursor: ID!
    kind: ChangeKind!
    id: ID!
    at: DateTime!
    "As the change left it; null when it was deleted."
    user: User
  }

  type PostChange {
    "Where to go on: give it as after."
    cursor: ID!
    kind: ChangeKind!
    id: ID!
    at: DateTime!
    "As the change left it; null when it was deleted."
    post: Post
  }

  type Subscription {
    "Changes of one user, or of all, behind the cursor after, or from now on."
    userChanged(id: ID, after: ID): UserChange!
    "Changes of the posts of one author, behind the cursor after, or from now on."
    postChanged(authorId: ID!, after: ID): PostChange!
  }
`;
