package org.mindtorch;
import java.util.function.LongConsumer;
public abstract class TensorMethods extends Handle {
  TensorMethods(long address, boolean isOwner, LongConsumer release) { super(address, isOwner, release); }
}
