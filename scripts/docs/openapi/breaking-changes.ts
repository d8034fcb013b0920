import { forGenerators } from './for-generators.ts';
import { isRecord, type Json } from './json.ts';
import { Narrowing } from './narrowing.ts';

const granted = /^2/;

/** A body of bytes: earlier descriptions had no schema for it. */
const bytes: Json = { type: 'string', format: 'binary' };

const part = (value: unknown, ...path: readonly string[]): Json => {
  let found: unknown = value;
  for (const key of path) found = isRecord(found) ? found[key] : undefined;
  return isRecord(found) ? found : {};
};

/**
 * Changes that break a client of the released description, one line each. An operation, a status or a field is gone; a
 * good request is refused; an answer has a value that the released description excludes. Not among them are new
 * operations, optional fields of requests, fields of answers and codes of refusals.
 */
export function breakingChanges(described: Json, current: Json): string[] {
  // The released description may have the same schemas in other forms.
  const released = forGenerators(described) as Json;
  const lines: string[] = [];
  for (const [path, methods] of Object.entries(part(released, 'paths'))) {
    for (const method of Object.keys(methods as Json)) {
      const place = `${method.toUpperCase()} ${path}`;
      const now = part(current, 'paths', path, method);
      if (part(current, 'paths', path)[method] === undefined) lines.push(`${place}: is gone`);
      else
        lines.push(...brokenOperation(released, current, part(methods, method), now).map((line) => `${place}${line}`));
    }
  }
  return lines;
}

function brokenOperation(released: Json, current: Json, before: Json, now: Json): string[] {
  const requests = new Narrowing(released, current, 'request');
  const answers = new Narrowing(current, released, 'answer');
  const bodies = (operation: Json) => part(operation, 'requestBody', 'content');
  return [
    ...brokenParameters(requests, before, now),
    ...Object.keys(bodies(before)).flatMap((type) => {
      if (bodies(now)[type] === undefined) return [` request: ${type} is not taken any more`];
      const [old = bytes, fresh] = [part(bodies(before), type).schema, part(bodies(now), type).schema];
      return requests.faults(old, fresh).map((fault) => ` request${fault}`);
    }),
    ...Object.keys(part(before, 'responses')).flatMap((status) => {
      const after = part(now, 'responses', status);
      if (part(now, 'responses')[status] === undefined) return [` ${status}: is gone`];
      if (!granted.test(status)) return [];
      const contents = [part(before, 'responses', status, 'content'), part(after, 'content')] as const;
      return brokenAnswer(answers, ...contents).map((fault) => ` ${status}${fault}`);
    }),
  ];
}

function brokenAnswer(answers: Narrowing, before: Json, now: Json): string[] {
  return Object.keys({ ...before, ...now }).flatMap((type) => {
    if (now[type] === undefined) return [`: ${type} is gone`];
    if (before[type] === undefined) return [`: ${type} is new`];
    return answers.faults(part(now, type).schema, part(before, type).schema ?? bytes);
  });
}

function brokenParameters(requests: Narrowing, before: Json, now: Json): string[] {
  const named = ({ parameters }: Json): ReadonlyMap<string, Json> =>
    new Map((Array.isArray(parameters) ? parameters : []).map((each: Json) => [`${each.in} ${each.name}`, each]));
  const [old, fresh] = [named(before), named(now)];
  return [
    ...[...old].flatMap(([name, { schema }]) => {
      const after = fresh.get(name);
      if (after === undefined) return [` ${name}: is gone`];
      return requests.faults(schema, after.schema).map((fault) => ` ${name}${fault}`);
    }),
    ...[...fresh]
      .filter(([name, { required }]) => required === true && old.get(name)?.required !== true)
      .map(([name]) => ` ${name}: is required now`),
  ];
}
