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
    "Changes of one user, or of all: behind the cursor after, or from a time on (ISO 8601), or from now on."
    userChanged(id: ID, after: ID): UserChange!
    "Changes of the posts of one author: behind the cursor after, or from a time on (ISO 8601), or from now on."
    postChanged(authorId: ID!, after: ID): PostChange!
  }
`;
