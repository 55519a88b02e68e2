/** A stand-in for Payara Micro, under the name by which {@code ServerMain} starts it. */
@NullMarked
package fish.payara.micro.impl;

import org.jspecify.annotations.NullMarked;
