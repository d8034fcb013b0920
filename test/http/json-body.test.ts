import test from 'ava';
import { declaredLength } from '../../http/exchange/framing.ts';
import { bodyLimit, expectJson } from '../../http/exchange/json-body.ts';
import { FlatHead } from '../../http/listener/request-head.ts';

const head = (...fields: readonly string[]) => new FlatHead('POST', '/', fields);

test('a declared length is a whole number that stands once', (t) => {
  t.is(declaredLength(head()), null);
  t.is(declaredLength(head('content-length', '0')), 0);
  t.is(declaredLength(head('content-length', '12')), 12);
  for (const text of ['', '0012', '-1', '+1', '1.0', '1e3', '0x1', 'two', '1, 1', '٣', '9007199254740992']) {
    t.throws(() => declaredLength(head('content-length', text)), { code: 'invalid_content_length' }, text);
  }
  t.throws(() => declaredLength(head('content-length', '1', 'content-length', '1')), {
    code: 'invalid_content_length',
  });
});

test('the type of a JSON body is checked before its length', (t) => {
  t.notThrows(() => expectJson(head('content-type', 'Application/JSON ; charset=utf-8')));
  t.notThrows(() => expectJson(head('content-type', 'application/json', 'content-length', String(bodyLimit))));
  t.throws(() => expectJson(head('content-length', 'two')), { code: 'unsupported_content_type' });
  const over = head('content-type', 'application/json', 'content-length', String(bodyLimit + 1));
  t.throws(() => expectJson(over), { code: 'request_body_too_large' });
  const bad = head('content-type', 'application/json', 'content-length', 'two');
  t.throws(() => expectJson(bad), { code: 'invalid_content_length' });
});
