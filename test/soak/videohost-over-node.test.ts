import { videohostContract } from '../http/videohost-contract.ts';

videohostContract('node');
