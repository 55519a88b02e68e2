/** A fake Payara Micro with the class name that {@code ServerMain} starts. */
@NullMarked
package fish.payara.micro.impl;

import org.jspecify.annotations.NullMarked;
