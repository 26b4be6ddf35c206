CREATE TABLE accounts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  email text NOT NULL UNIQUE,
  role text NOT NULL,
  password text NOT NULL
);

CREATE TABLE sign_ins (
  id text PRIMARY KEY,
  account bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  hash text NOT NULL,
  expires timestamptz NOT NULL
);
