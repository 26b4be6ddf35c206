import { Body, Controller, Get, Param, Post, UseGuard } from '@fairlead/controllers';
import type { Context } from '@fairlead/core';
import { Inject, Service, token } from '@fairlead/di';

/** The greeting of the fixtures. */
export const WORD = token<string>('Word');

/** Has private members, and a dependency that no test registers by default. */
@Service()
export class Clock {
  readonly #zone: string;

  constructor(@Inject('zone') zone: string) {
    this.#zone = zone;
  }

  now(): string {
    return `noon in ${this.#zone}`;
  }
}

@Service()
export class Greeter {
  constructor(
    private readonly clock: Clock,
    @Inject(WORD) private readonly word: string,
  ) {}

  greet(name: string): string {
    return `${this.word} ${name}, it is ${this.clock.now()}`;
  }
}

@Service()
export class Door {
  canActivate(ctx: Context): boolean {
    return ctx.get('Authorization') === 'Bearer secret';
  }
}

@Controller('/greetings')
export class GreetingsController {
  constructor(private readonly greeter: Greeter) {}

  @Get('/:name')
  greet(@Param('name') name: string) {
    return { text: this.greeter.greet(name) };
  }

  @Post()
  @UseGuard(Door)
  create(@Body('name') name: string) {
    return { text: this.greeter.greet(name) };
  }
}
