import { isIntended } from '@fairlead/options';
import type { ControllerDefinition, RouteDefinition } from '../definition/definition.js';
import type { ControllerError, Diagnostic } from '../errors.js';
import { ownerOf } from '../metadata/class-metadata.js';
import { errorsOf } from '../metadata/mistakes.js';
import { findCollisions } from './collisions.js';
import { findContradictions, findExemptions, findExemptionsFrom } from './exemptions.js';
import {
  describeGuards,
  describeUnpreparedGuards,
  describeUnreadValues,
  describeUnusedProviders,
  findUnreadValues,
} from './guards.js';
import { describeHooks } from './lifecycle.js';
import { describeMethodsWithoutRoute, describeUnreturned } from './methods.js';
import { describeUnmounted } from './mounted.js';
import { describeAbsentNames, findAbsentNames, findMisnamed } from './names.js';
import {
  describeErased,
  describeUndecorated,
  describeUnusedDefaults,
  describeUnvalidated,
  findDefaults,
} from './parameters.js';
import {
  describeContentTypes,
  describeTwoStatuses,
  findRedirects,
  findStatuses,
} from './responses.js';
import {
  byMethod,
  distinctDecorators,
  distinctMethods,
  type Rule,
  type Subjects,
} from './subjects.js';
import { describeLooseWrites } from './writes.js';

/** What the startup checks, step by step. */
const RULES: Rules = {
  controller: {
    mistakes: [
      ({ mistakes }) => mistakes.map(({ toError }) => toError()),
      findContradictions,
      findExemptions,
      ofMethods(({ runner }) => [runner.fault ?? []].flat(), findRedirects, findDefaults),
      ofRoutes(findStatuses),
    ],
    doubts: [
      describeUndecorated,
      describeUnusedDefaults,
      describeTwoStatuses,
      describeContentTypes,
      describeMethodsWithoutRoute,
      describeUnreturned,
    ].map(unlessIntended),
  },
  application: { doubts: [describeUnvalidated, describeErased] },
  router: { mistakes: [findCollisions, findUnreadValues] },
  placed: { mistakes: [findMisnamed] },
  classes: { doubts: [describeHooks] },
  instances: { mistakes: [findExemptionsFrom] },
  built: { doubts: [describeUnreadValues, describeGuards, describeUnusedProviders] },
  mounted: {
    mistakes: [findAbsentNames],
    doubts: [describeUnmounted, describeAbsentNames, describeLooseWrites],
  },
  guarded: { doubts: [describeUnpreparedGuards] },
};

type Rules = {
  readonly [Step in keyof Subjects]: {
    readonly mistakes?: readonly Rule<Subjects[Step], ControllerError>[];
    readonly doubts?: readonly Rule<Subjects[Step], string>[];
  };
};

/** Finds what fails the start, in the order of the report. */
export function findMistakes<Step extends keyof Subjects>(
  step: Step,
  subject: Subjects[Step],
): ControllerError[] {
  const { mistakes = [] } = RULES[step];
  return mistakes.flatMap((rule) => rule(subject));
}

/** Describes what looks like a mistake, but may be intended: the start warns of it. */
export function findDoubts<Step extends keyof Subjects>(
  step: Step,
  subject: Subjects[Step],
): string[] {
  const { doubts = [] } = RULES[step];
  return doubts.flatMap((rule) => rule(subject));
}

function unlessIntended(
  rule: Rule<ControllerDefinition, string>,
): Rule<ControllerDefinition, string> {
  return (definition) => (isIntended(definition.controller) ? [] : rule(definition));
}

type RouteRule = (route: RouteDefinition) => readonly Diagnostic[];

/** Applies rules to one route of each method. */
function ofMethods(...rules: readonly RouteRule[]): Rule<ControllerDefinition, ControllerError> {
  return (definition) => report(definition, distinctMethods(definition.routes), rules);
}

/** Applies rules to one route of each decorator. */
function ofRoutes(...rules: readonly RouteRule[]): Rule<ControllerDefinition, ControllerError> {
  return (definition) => report(definition, distinctDecorators(definition.routes), rules);
}

function report(
  { controller }: ControllerDefinition,
  routes: readonly RouteDefinition[],
  rules: readonly RouteRule[],
): readonly ControllerError[] {
  return byMethod(routes).flatMap((ofMethod) => {
    const found = ofMethod.flatMap((route) => rules.flatMap((rule) => rule(route)));
    if (found.length === 0) return [];
    const [{ methodName: key, locate }] = ofMethod;
    return errorsOf({ owner: ownerOf(controller, key), key }, found, locate);
  });
}
