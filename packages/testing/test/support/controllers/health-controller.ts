import { Controller, Get } from '@fairlead/controllers';

@Controller('/health')
export class HealthController {
  @Get()
  read() {
    return 'well';
  }
}
