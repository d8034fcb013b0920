import test from 'ava';
import { failureMessage, withRemedy } from '../../../contract/base/failure.ts';

test('a message names no absolute path of this machine, however it is quoted', (t) => {
  const rows = {
    "storage_fault: ENOENT: no such file or directory, open '/home/some one/data/inbox/a b'":
      'storage_fault: ENOENT: no such file or directory, open …',
    'x: /data root/in box/y: Permission denied': 'x: …: Permission denied',
    "EXDEV, rename '/a' -> '/b c/d'": 'EXDEV, rename … -> …',
    'Cannot find module /a/b.js, from /c': 'Cannot find module …, from …',
    'file:///etc/passwd: No such file': '…: No such file',
    'path=/a/b (/tmp/x) `~/data` [/q]': 'path=… (…) … […]',
    'C:\\Users\\me broke': '… broke',
  };
  for (const [text, shown] of Object.entries(rows)) t.is(failureMessage(text), shown);
});

test('what only looks like a path stays: addresses, ratios, types and the own routes', (t) => {
  for (const text of ['GET /v1/runtimes/x', 'of 16/9', 'video/mp4', '1 / 2', 'http://127.0.0.1:80/x', 'a:b/c']) {
    t.is(failureMessage(text), text);
  }
});

test('a remedy keeps the path that it tells to mend, and what happened names none', (t) => {
  t.is(withRemedy('cannot write /data/x', 'chmod 700 /data'), 'cannot write …; chmod 700 /data');
});
