import test from 'ava';
import { chatAnswerOf } from '../../../executors/model-server/hosted-chat.ts';

const limits = { maxCompletionTokens: 100, maxOutputBytes: 65_536 };

test('the name that a server gives its model is one line, or none', (t) => {
  const nameOf = (model: string) => {
    const choices = [{ finish_reason: 'stop', message: { content: 'yes' } }];
    return chatAnswerOf({ id: 'chatcmpl-1', model, choices }, limits, () => false).model;
  };
  t.is(nameOf('org/\u202emodel\u001b[2J'), 'org/ model [2J');
  t.is(nameOf('\u202e\u0000'), null);
});
