import test from 'ava';
import { RefusedOrigins } from '../../http/exchange/refused-origins.ts';

function refusals() {
  const lines: string[] = [];
  let now = 0;
  const origins = new RefusedOrigins(
    (line) => void lines.push(line),
    () => now,
  );
  const pass = (ms: number): void => {
    now += ms;
  };
  return { origins, lines, pass };
}

test('a refused origin is named with the option that allows it, and not again within a minute', (t) => {
  const { origins, lines, pass } = refusals();
  for (let time = 0; time < 60; time += 1) {
    origins.note('https://page.example:8443');
    pass(999);
  }
  t.is(lines.length, 1);
  t.true(lines[0]?.endsWith('--allowed-origin https://page.example:8443'));
  pass(60);
  origins.note('https://page.example:8443');
  t.is(lines.length, 2);
});

test('a page that invents origins fills neither the memory nor the log', (t) => {
  const { origins, lines, pass } = refusals();
  for (let at = 0; at < 1_000; at += 1) origins.note(`http://${at}.example`);
  t.is(lines.length, 16);
  pass(60_000);
  origins.note('http://page.example');
  t.is(lines.length, 17);
});

test('what is no origin is quoted and cut', (t) => {
  const { origins, lines } = refusals();
  origins.note('null');
  origins.note(`http://x.example\u001b[31m${'y'.repeat(500)}`);
  t.true(lines[0]?.includes('"null"'));
  t.false(lines[0]?.includes('--allowed-origin'));
  t.false(lines[1]?.includes('\u001b'));
  t.true((lines[1]?.length ?? 0) < 400);
});
