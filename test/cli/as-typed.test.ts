import test from 'ava';
import { asTyped, type ProcessCall, programAsTyped } from '../../cli/terminal/call.ts';

const call = (program: string, environment: ProcessCall['environment'] = {}, ...args: string[]): ProcessCall => ({
  argv: ['/usr/bin/node', program, ...args],
  environment,
  folder: '/home/me/service',
});
const built = '/home/me/service/build/media-study.js';

test('bug: a command that was printed in a checkout was not found there', (t) => {
  const npm = { npm_lifecycle_event: 'media-study', npm_command: 'run-script' };
  t.is(programAsTyped(call(built, { ...npm, npm_config_loglevel: 'silent' })), 'npm run --silent media-study --');
  t.is(programAsTyped(call(built, { ...npm, npm_config_loglevel: 'notice' })), 'npm run media-study --');
  t.is(programAsTyped(call(built)), 'node build/media-study.js');
  t.is(programAsTyped(call('/elsewhere/build/media-study.js')), 'node /elsewhere/build/media-study.js');
});

test('an installed program is called by its name, and one beside a package by npx', (t) => {
  t.is(programAsTyped(call('/usr/local/bin/media-study')), 'media-study');
  t.is(programAsTyped(call('/app/node_modules/.bin/media-study', { npm_command: 'exec' })), 'npx media-study');
});

test('bug: a printed command left out the data root of the call that printed it', (t) => {
  const typed = (...args: string[]) => asTyped('captions film', call('/usr/bin/media-study', {}, 'study', ...args));
  t.is(typed('film.mp4'), 'media-study captions film');
  t.is(typed('film.mp4', '--data-root', '/my data'), "media-study captions film --data-root '/my data'");
  t.is(typed('--data-root=here', 'film.mp4'), 'media-study captions film --data-root here');
  t.is(typed('--', '--data-root', 'a label'), 'media-study captions film');
});
