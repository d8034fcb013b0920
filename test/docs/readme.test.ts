import test from 'ava';
import { routeTable, type ServerOptions } from '../../http/server.ts';
import { sectionOf, tablesOf, textOf, wordsOf } from './markdown.ts';

const page = await textOf('README.md');

test('the commands that the README names are those of the package', async (t) => {
  const { scripts } = JSON.parse(await textOf('package.json')) as { scripts: Record<string, string> };
  const named = [...page.matchAll(/npm run ([a-z]+)/g)].map((found) => found[1] ?? '');
  t.true(named.length > 0);
  t.deepEqual(
    named.filter((name) => scripts[name] === undefined),
    [],
  );
});

test("the README's endpoints are the routes of the host with their methods", (t) => {
  const [rows = []] = tablesOf(sectionOf(page, '## Endpoints'));
  const documented = rows.map(([path = '', methods = '']) => [
    wordsOf([[path]])[0],
    methods.split(', ').filter((method) => method !== ''),
  ]);
  // Routes hold their services and ask them nothing before a request comes.
  const routes = routeTable({} as ServerOptions['services']);
  t.deepEqual(documented.sort(), routes.map(({ path, methods }) => [path, Object.keys(methods)]).sort());
});
