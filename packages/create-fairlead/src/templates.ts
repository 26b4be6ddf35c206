/** The contents of each template, by the name of its folder in `templates/`. */
export const TEMPLATES = {
  minimal: 'functions in a single file, without a build step',
  values: 'controllers without decorators, validation, Dockerfile, without a build step',
  'rest-api': 'classes, validation, SQLite, OpenAPI page, Dockerfile',
  auth: 'sign-up, sign-in with tokens, roles, SQLite, Dockerfile',
} as const;

export type Template = keyof typeof TEMPLATES;

/** The folders of `templates/` whose files a template has, too. */
export const SHARED: Readonly<Record<Template, readonly string[]>> = {
  minimal: ['shared', 'stripped'],
  values: ['shared', 'stripped'],
  'rest-api': ['shared', 'compiled'],
  auth: ['shared', 'compiled'],
};

/** The npm instructions in the `Dockerfile` of the templates. */
const DOCKER = {
  copy: 'COPY package.json package-lock.json ./',
  install: 'RUN npm ci',
  installProduction: 'RUN npm ci --omit=dev',
  build: 'RUN npm run build && npm prune --omit=dev',
};

/** The package managers, with their Dockerfile instructions. */
export const PACKAGE_MANAGERS = {
  npm: DOCKER,
  pnpm: {
    copy: 'COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./',
    install: 'RUN npm install --global pnpm && pnpm install --frozen-lockfile',
    installProduction: 'RUN npm install --global pnpm && pnpm install --frozen-lockfile --prod',
    build: 'RUN pnpm run build && CI=true pnpm prune --prod',
  },
  yarn: {
    copy: 'COPY package.json yarn.lock .yarnrc.yml ./',
    // The image contains Yarn 1, which --force replaces.
    install: 'RUN npm install --global --force @yarnpkg/cli-dist && yarn install --immutable',
    installProduction:
      'RUN npm install --global --force @yarnpkg/cli-dist && yarn workspaces focus --production',
    build: 'RUN yarn run build && yarn workspaces focus --production',
  },
  bun: {
    copy: 'COPY package.json bun.lock ./',
    install: 'RUN npm install --global bun && bun install --frozen-lockfile',
    installProduction: 'RUN npm install --global bun && bun install --frozen-lockfile --production',
    build: 'RUN bun run build && rm -r node_modules && bun install --production',
  },
} as const satisfies Record<string, typeof DOCKER>;

export type PackageManager = keyof typeof PACKAGE_MANAGERS;

/** The instructions for Yarn 1, whose lockfile Yarn 4 would change. The image contains it. */
const YARN_1: typeof DOCKER = {
  copy: 'COPY package.json yarn.lock ./',
  install: 'RUN yarn install --frozen-lockfile',
  installProduction: 'RUN yarn install --frozen-lockfile --production',
  build: 'RUN yarn run build && yarn install --frozen-lockfile --production',
};

/** Returns a Dockerfile for npm with the instructions of another package manager. */
export function translateDockerfile(
  text: string,
  packageManager: PackageManager,
  isYarn1: boolean,
): string {
  const { copy, install, installProduction, build } = isYarn1
    ? YARN_1
    : PACKAGE_MANAGERS[packageManager];
  return (
    text
      .replace(DOCKER.copy, copy)
      // Begins with the next one.
      .replace(DOCKER.installProduction, installProduction)
      .replace(DOCKER.install, install)
      .replace(DOCKER.build, build)
  );
}
